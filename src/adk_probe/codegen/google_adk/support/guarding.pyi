from adk_probe.codegen.support.guarding import *
