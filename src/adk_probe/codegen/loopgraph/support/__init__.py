"""Support code for LoopGraph. It is copied into projects, and no module of the harness imports it.

What projects on all engines share is found here too, as it is in a project, so that tools and tests see one package.
"""

from adk_probe.codegen import support

__path__ = [*__path__, *support.__path__]
