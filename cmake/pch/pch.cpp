// Nothing: this file only carries the precompiled header.
