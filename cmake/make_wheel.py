#!/usr/bin/env python3
"""make_wheel.py PREFIX [FOLDER]: a wheel of what `cmake --install BUILD --prefix PREFIX` has left, for pip.

It brings the program `ringside` with its lessons, not the headers. It needs the libraries that it was built
against: LibTorch, OpenBLAS, fmt. Format: PEP 427, a zip with dist-info.
"""
import base64, hashlib, pathlib, subprocess, sys, sysconfig, zipfile

LAUNCHER = '''"""Distributed training, watched from the ringside: starts the program that lies in this package."""
import os, sys


def main():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "ringside", "bin", "ringside")
    os.execv(program, [program] + sys.argv[1:])
'''


def files_of(prefix):
    """Pairs of a name in the package and a file. A zip has no links: a library stands under the name that others ask for."""
    lib = prefix / "lib"
    for file in sorted((lib / "ringside").rglob("*")):
        if file.is_file():
            yield file.relative_to(prefix), file
    for file in sorted(lib.glob("libringside_*.so.*")):
        if file.is_symlink():  # libringside_base.so.0.1 -> libringside_base.so.0.1.0
            yield file.relative_to(prefix), file.resolve()


def main(prefix, folder="."):
    prefix = pathlib.Path(prefix).resolve()
    program = prefix / "lib/ringside/bin/ringside"
    if not program.exists():
        sys.exit(f"make_wheel.py: there is no {program}; cmake --install BUILD --prefix {prefix} makes it")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    info = f"ringside-{version}.dist-info"
    texts = {
        "ringside/__init__.py": LAUNCHER,
        "ringside/__main__.py": "from . import main\n\nmain()\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: ringside\nVersion: {version}\n"
                            "Summary: A study room for distributed training\n",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: make_wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n",
        f"{info}/entry_points.txt": "[console_scripts]\nringside = ringside:main\n",
    }
    wheel = pathlib.Path(folder) / f"ringside-{version}-{tag}.whl"
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name, data, mode=0o644):
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        for name, file in files_of(prefix):
            add(f"ringside/{name}", file.read_bytes(), file.stat().st_mode & 0o777)
        for name, text in texts.items():
            add(name, text.encode())
        archive.writestr(f"{info}/RECORD", "\n".join(record + [f"{info}/RECORD,,", ""]))
    print(wheel)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
