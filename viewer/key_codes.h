/* The key codes the shortcuts use: SDL_Keycode's values, for code that is built without SDL. */
#ifndef DROVER_VIEWER_KEY_CODES_H
#define DROVER_VIEWER_KEY_CODES_H

enum key_code {
    KEY_ESCAPE = 27,
    KEY_SPACE = ' ',
    KEY_PERIOD = '.',
    KEY_LEFT_BRACKET = '[',
    KEY_RIGHT_BRACKET = ']',
    KEY_F = 'f',
    KEY_F1 = 0x4000003a,
    KEY_F12 = 0x40000045,
};

#endif
