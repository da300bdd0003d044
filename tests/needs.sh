#!/bin/sh
# Runs a test, or prints the missing program, file or Python module that it needs and ends with 77, which CTest counts as skipped:
#
#     needs.sh "Xvfb xdotool /usr/share/i18n/locales/de_DE python3:jsonschema" COMMAND...
#
# python3:MODULE is a module of the Python that COMMAND begins with.
# packages.txt names the Debian packages; ./dev test installs those of the selected tests.
missing=
for what in $1; do
    case $what in
    python3:*) "$2" -c "import ${what#python3:}" 2>/dev/null ;;
    */*) [ -e "$what" ] ;;
    *) command -v "$what" >/dev/null ;;
    esac || case $what in
    python3:*) missing="$missing python3-$(echo "${what#python3:}" | tr '[:upper:]' '[:lower:]')" ;; # its package
    *) missing="$missing $what" ;;
    esac
done
shift
if [ -n "$missing" ]; then
    echo "SKIP: not installed:$missing"
    exit 77
fi
exec "$@"
