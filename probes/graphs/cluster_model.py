"""A small cluster in memory, on which the tools of the remediation graph act.

Each deployment may have one fault. Only the action for this fault heals it; other actions leave the fault in place.
Every action is counted, so that a scenario can check what reached the cluster. Python 3.9, standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Optional

GOOD_RELEASE = "v1"
BAD_RELEASE = "v2"
REPLICAS = 2
MOST_REPLICAS = 10

FAULTS = {
    "crash_loop": ("CrashLoopBackOff", "java.lang.IllegalStateException: connection pool is shut down"),
    "bad_release": ("CrashLoopBackOff", "error: unknown field 'retries' in config"),
    "consumer_lag": ("Running", "warning: consumer lag is 48000 messages and grows"),
    "out_of_memory": ("OOMKilled", "fatal: cannot allocate memory"),
}
"""By fault, the state of the pods and the last line of their logs."""


class UnknownDeployment(LookupError):
    """The cluster has no such deployment."""


class Unavailable(ConnectionError):
    """The cluster's interface does not answer."""


@dataclass
class Deployment:
    """One deployment, its fault, and what was done to it."""

    name: str
    fault: Optional[str] = None
    release: str = GOOD_RELEASE
    replicas: int = REPLICAS
    changes: list[str] = field(default_factory=list)


@dataclass
class Cluster:
    """All deployments, the operations log, and the tools that raise."""

    deployments: dict[str, Deployment] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    broken: frozenset[str] = frozenset()

    def find(self, name: str) -> Deployment:
        """Return the deployment of that name."""
        if name not in self.deployments:
            raise UnknownDeployment(f"no deployment {name}")
        return self.deployments[name]


_cluster = Cluster()


def reset(faults: Optional[dict[str, Optional[str]]] = None, broken: tuple[str, ...] = ()) -> None:
    """Set the cluster up again.

    Args:
        faults: by deployment its fault, or None for a healthy one; by default one healthy ``checkout``.
        broken: names of tools that raise.

    Raises:
        ValueError: there is no such fault.
    """
    global _cluster
    _cluster = Cluster(broken=frozenset(broken))
    for name, fault in ({"checkout": None} if faults is None else faults).items():
        if fault is not None and fault not in FAULTS:
            raise ValueError(f"{fault!r} is no fault; there are {', '.join(FAULTS)}")
        release = BAD_RELEASE if fault == "bad_release" else GOOD_RELEASE
        _cluster.deployments[name] = Deployment(name, fault, release)


def snapshot() -> dict[str, Any]:
    """Return the cluster's state as a JSON value."""
    return {
        "deployments": {
            name: {
                "fault": item.fault,
                "release": item.release,
                "replicas": item.replicas,
                "changes": list(item.changes),
            }
            for name, item in sorted(_cluster.deployments.items())
        },
        "log": list(_cluster.log),
    }


# ------------------------------------------------------------------ tools that change something


def restart_deployment(deployment: str) -> str:
    """Restart every pod. This heals a crash loop."""
    item = _changed("restart_deployment", deployment, "restart")
    if item.fault == "crash_loop":
        item.fault = None
    return f"{deployment} restarted"


def scale_deployment(deployment: str, replicas: int) -> str:
    """Set the number of pods. More pods heal a consumer lag and a lack of memory."""
    if not 1 <= replicas <= MOST_REPLICAS:
        raise ValueError(f"replicas must lie between 1 and {MOST_REPLICAS}")
    item = _changed("scale_deployment", deployment, f"scale {replicas}")
    more, item.replicas = replicas > item.replicas, replicas
    if more and item.fault in ("consumer_lag", "out_of_memory"):
        item.fault = None
    return f"{deployment} scaled to {replicas}"


def rollback_deployment(deployment: str) -> str:
    """Return to the last good release. This heals a bad release."""
    item = _changed("rollback_deployment", deployment, "rollback")
    item.release = GOOD_RELEASE
    if item.fault == "bad_release":
        item.fault = None
    return f"{deployment} rolled back to {GOOD_RELEASE}"


def log_operation(note: str) -> str:
    """Write a line to the operations log."""
    _working("log_operation")
    _cluster.log.append(note)
    return "logged"


def _changed(tool: str, deployment: str, change: str) -> Deployment:
    _working(tool)
    item = _cluster.find(deployment)
    item.changes.append(change)
    return item


def _working(tool: str) -> None:
    if tool in _cluster.broken:
        raise Unavailable(f"the cluster does not answer {tool}")


# ------------------------------------------------------------------ tools that only read


def get_deployment_status(deployment: str) -> str:
    """Return whether a deployment is healthy, with its release and its number of pods."""
    _working("get_deployment_status")
    item = _cluster.find(deployment)
    state = "healthy" if item.fault is None else "unhealthy"
    return f"{deployment} is {state}: release {item.release}, {item.replicas} pods"


def get_pod_logs(deployment: str) -> str:
    """Return the last line of a deployment's logs."""
    _working("get_pod_logs")
    item = _cluster.find(deployment)
    return "info: serving" if item.fault is None else FAULTS[item.fault][1]


def list_pods(deployment: str) -> str:
    """Return a deployment's pods and their states."""
    _working("list_pods")
    item = _cluster.find(deployment)
    state = "Running" if item.fault is None else FAULTS[item.fault][0]
    return ", ".join(f"{deployment}-{number} {state}" for number in range(item.replicas))


# ------------------------------------------------------------------ health checks


def pods_check(words: str) -> str:
    """Return the pods of the deployments that the text names."""
    return _checked(words, list_pods)


def release_check(words: str) -> str:
    """Return the releases of the deployments that the text names."""
    return _checked(words, get_deployment_status)


def lag_check(words: str) -> str:
    """Return the last log lines of the deployments that the text names."""
    return _checked(words, get_pod_logs)


def _checked(words: str, look: Any) -> str:
    named = [name for name in re.findall(r"[a-z][a-z0-9-]*", words) if name in _cluster.deployments]
    return "; ".join(look(name) for name in dict.fromkeys(named)) or "no deployment is named"
