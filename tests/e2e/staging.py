"""A library as its users have it: installed as a package does it, then moved elsewhere."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from drover_client import PATIENCE_S, ROOT


def run(*command, **options):
    """What the command prints; it must succeed."""
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            timeout=4 * PATIENCE_S, check=False, **options)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\nended with {result.returncode}:\n{result.stdout}")
    return result.stdout


def blocks(document, language):
    """The blocks of a document in a language."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


class Staged:
    """Components of a build under a folder of their own. `environment` lets pkg-config and the loader find the library."""

    def __init__(self, build, library, *components):
        self._folder = tempfile.TemporaryDirectory()
        self.scratch = pathlib.Path(self._folder.name)
        for component in components:
            run("cmake", "--install", build, "--prefix", "/usr", "--component", component,
                env={**os.environ, "DESTDIR": str(self.scratch / "staged")})
        shutil.move(self.scratch / "staged/usr", self.scratch / "moved")
        self.prefix = self.scratch / "moved"
        self.folder = next(self.prefix.rglob(library)).parent
        self.environment = {**os.environ, "PKG_CONFIG_PATH": f"{self.folder / 'pkgconfig'}:{os.environ.get('PKG_CONFIG_PATH', '')}",
                            "LD_LIBRARY_PATH": str(self.folder)}

    def flags(self, *modules):
        return run("pkg-config", "--cflags", "--libs", *modules, env=self.environment).split()

    def close(self):
        self._folder.cleanup()
