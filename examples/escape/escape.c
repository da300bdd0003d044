/* A game that embeds libdrover-sim: run from the zombies towards the mouse. A further zombie comes every three seconds; when one
 * touches you, the game is over, and a click takes you back to its start.
 *
 *     cc escape.c $(pkg-config --cflags --libs drover-sim sdl2) -lm -o escape && ./escape escape.json
 *
 * usage: escape SCENARIO [FRAMES]      FRAMES: plays so many by itself, prints the hash and ends
 */
#include <SDL.h>
#include <drover/sim.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct game {
    struct drover_sim *sim, *start; /* start: as it was at the beginning */
    float mouse_x, mouse_y;
    int is_over;
};

static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    char *text = malloc(1 << 20);
    *length = file != NULL && text != NULL ? fread(text, 1, 1 << 20, file) : 0;
    if (file != NULL) fclose(file);
    return text;
}

/* The player is agent 1: it is driven towards the mouse. Zombies do what the scenario says. */
static void step(struct game *game) {
    const struct drover_sim_agents *agents = drover_sim_agents(game->sim);
    const float dx = game->mouse_x - agents->x[0], dy = game->mouse_y - agents->y[0], far = hypotf(dx, dy);
    const float speed = far < 4 ? 0 : 190 / far;
    drover_sim_requestf(game->sim, "{\"op\":\"drive\",\"agent\":1,\"vx\":%g,\"vy\":%g}", dx * speed, dy * speed);
    if (drover_sim_tick(game->sim) % 180 == 179) {
        drover_sim_requestf(game->sim, "{\"op\":\"spawn\",\"kind\":\"zombie\",\"x\":%d,\"y\":20}", rand() % 900);
    }
    drover_sim_step(game->sim, 1);
    const struct drover_sim_event *events;
    game->is_over = drover_sim_events(game->sim, &events, NULL) > 0; /* the only event is `caught` */
}

/* A convex shape, as all of escape.json are: triangles around its first corner. */
static void fill(SDL_Renderer *renderer, const float *corners, int count, SDL_Color color) {
    for (int i = 1; i + 1 < count; i++) {
        const float *a = corners, *b = a + 2 * i, *c = b + 2;
        const SDL_Vertex triangle[] = {{{a[0], a[1]}, color, {0, 0}}, {{b[0], b[1]}, color, {0, 0}}, {{c[0], c[1]}, color, {0, 0}}};
        SDL_RenderGeometry(renderer, NULL, triangle, 3, NULL, 0);
    }
}

static void draw(SDL_Renderer *renderer, struct game *game) {
    static const SDL_Color colors[] = {{90, 200, 255, 255}, {140, 200, 90, 255}, {255, 80, 60, 255}, {70, 74, 84, 255}};
    const struct drover_sim_agents *agents = drover_sim_agents(game->sim);
    float corners[128];
    SDL_SetRenderDrawColor(renderer, 24, 26, 32, 255), SDL_RenderClear(renderer);
    for (int i = 0; i < drover_sim_obstacle_count(game->sim); i++) {
        fill(renderer, corners, drover_sim_obstacle(game->sim, i, corners, 64), colors[3]);
    }
    for (int32_t i = 0; i < agents->count; i++) { /* a triangle that points where the agent heads */
        for (int c = 0; c < 3; c++) {
            const float angle = agents->heading[i] + (float)(c - 1) * 2.5f, r = agents->radius[i] * 1.6f;
            corners[2 * c] = agents->x[i] + r * cosf(angle), corners[2 * c + 1] = agents->y[i] + r * sinf(angle);
        }
        fill(renderer, corners, 3, colors[game->is_over ? 2 : agents->kind[i]]);
    }
    SDL_RenderPresent(renderer);
}

int main(int argc, char **argv) {
    struct drover_sim_error error;
    size_t length = 0;
    char *text = argc > 1 ? read_file(argv[1], &length) : NULL;
    const long frames = argc > 2 ? strtol(argv[2], NULL, 10) : -1;
    struct game game = {.sim = text != NULL ? drover_sim_create(text, length, NULL, &error) : NULL, .mouse_x = 800, .mouse_y = 500};
    free(text);
    if (game.sim == NULL) {
        fprintf(stderr, "%s\n", argc > 1 ? error.message : "usage: escape SCENARIO [FRAMES]");
        return 2;
    }
    game.start = drover_sim_clone(game.sim);
    SDL_Init(SDL_INIT_VIDEO);
    SDL_Window *window = SDL_CreateWindow("Escape", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, 900, 600, 0);
    SDL_Renderer *renderer = SDL_CreateRenderer(window, -1, 0);
    for (long frame = 0, quit = 0; !quit && frame != frames; frame++) {
        SDL_Event event;
        while (SDL_PollEvent(&event)) {
            quit |= event.type == SDL_QUIT;
            if (event.type == SDL_MOUSEMOTION) game.mouse_x = (float)event.motion.x, game.mouse_y = (float)event.motion.y;
            if (event.type == SDL_MOUSEBUTTONDOWN && game.is_over) game.is_over = drover_sim_copy(game.sim, game.start);
        }
        if (!game.is_over) step(&game);
        draw(renderer, &game);
        if (frames < 0) SDL_Delay(16);
    }
    printf("tick %llu, hash %016llx\n", (unsigned long long)drover_sim_tick(game.sim), (unsigned long long)drover_sim_hash(game.sim));
    SDL_Quit();
    drover_sim_destroy(game.sim);
    drover_sim_destroy(game.start);
    return 0;
}
