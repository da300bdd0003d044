# cmake -DSOURCE=FILE -DOUT=FILE.c -DHEADER=PATH.h -DNAME=SYMBOL -P embed.cmake - writes the bytes of a file as a C array.
file(READ ${SOURCE} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include \"${HEADER}\"\n\nconst unsigned char ${NAME}[] = {\n${bytes}\n};\nconst size_t ${NAME}_length = sizeof ${NAME};\n")
