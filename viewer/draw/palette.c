/* See palette.h. */
#include "viewer/draw/palette.h"

#include "viewer/explain/theme.h"

/* Okabe and Ito's colors, the dark ones lifted for a dark ground. */
static const color series[PALETTE_SERIES] = {
    0xff56b4e9u, 0xffe69f00u, 0xff2fbf93u, 0xfff0e442u, 0xffcc79a7u, 0xffe8641au, 0xffc3c9d1u, 0xff8f83e0u,
};

/* The same hues for a light ground. */
static const color light_series[PALETTE_SERIES] = {
    0xff0072b2u, 0xffa86400u, 0xff00795au, 0xff857800u, 0xffa8457fu, 0xffb8430au, 0xff5b6573u, 0xff5a4db8u,
};

color palette_series(enum palette palette, int index) {
    return (theme_is_light(palette) ? light_series : series)[index < 0 ? 0 : index % PALETTE_SERIES];
}

enum shape palette_shape(int index) {
    return (enum shape)(index < 0 ? 0 : index % SHAPE_COUNT);
}
