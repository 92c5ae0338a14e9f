from adk_probe.codegen.support.values import *
