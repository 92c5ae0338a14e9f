"""The Graph IR as frozen values: the content of a drawn graph, in the form that the rest of the code uses.

Field names are the file's names in snake case (``maxIterations`` becomes ``max_iterations``). Everything except a loop
keeps its written form. A loop has two written forms (see ``wire``), and both become one ``LoopConfig`` without loss.
``loading`` reads files, ``validate`` checks graphs, and ``query`` answers questions about them.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

START = "START"
SCALARS = ("str", "int", "float", "bool", "date", "datetime")
LOOP_ROLES = ("generator", "critic", "reviser")
EXIT_TOOL = "exit_loop"
"""The tool that every loop's critic may use without declaring it. Calling it approves the draft and ends the loop."""

Role = Literal["generator", "critic", "reviser"]


class Finding(Struct, frozen=True, order=True):
    """One fault of an IR file.

    Attributes:
        path: names of the enclosing workflow nodes and of the node, joined by ``/``; empty for the outermost graph.
        code: stable, upper case; listed in ``docs/ir.md``.
        message: one line: the place inside the node, what is wrong, and what to do.
    """

    path: str
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.path or '(graph)'}: {self.code}: {self.message}"


class Written(Struct, frozen=True, forbid_unknown_fields=True, rename="camel", kw_only=True):
    """Base of everything that a file holds. Keys are in camel case, and unknown keys are refused."""


# ------------------------------------------------------------------ types and instructions


class SchemaField(Written, frozen=True, kw_only=True):
    """A field of a schema. ``type`` is a scalar or a schema's name; ``default`` is a JSON value or ``UNSET``."""

    name: str
    type: str
    optional: bool = False
    default: Any | UnsetType = UNSET

    @property
    def has_default(self) -> bool:
        """Whether the file gives a default; a written ``null`` counts."""
        return self.default is not UNSET


class Schema(Written, frozen=True, kw_only=True):
    """A structured type. It becomes a pydantic model."""

    name: str
    fields: tuple[SchemaField, ...]

    def field(self, name: str) -> SchemaField | None:
        """Return the field with that name, or None."""
        return next((field for field in self.fields if field.name == name), None)


class TextSegment(Written, frozen=True, kw_only=True, tag_field="type", tag="text"):
    """Literal text. Braces, quotes and backslashes have no special meaning."""

    value: str


class VarSegment(Written, frozen=True, kw_only=True, tag_field="type", tag="var"):
    """Field ``field`` (of ``schema``) of the output of node ``source``, read from the input or from session state."""

    schema: str
    field: str
    source: str
    via: Literal["input", "state"] = "input"


Segment = TextSegment | VarSegment


class Instruction(Written, frozen=True, kw_only=True):
    """An agent's instruction: the text of its segments, in order, with nothing between them."""

    segments: tuple[Segment, ...]


# ------------------------------------------------------------------ configs


class ModelParams(Written, frozen=True, kw_only=True):
    """Sampling parameters. None leaves the engine's default."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    max_output_tokens: int | None = None


class AgentConfig(Written, frozen=True, kw_only=True):
    """An agent. If ``input_schema_ref`` is None or ``str``, its input is text; ``str`` as output means text too."""

    model: str
    instruction: Instruction
    output_schema_ref: str
    model_params: ModelParams | None = None
    mode: Literal["task", "single_turn"] | None = None
    tools: tuple[str, ...] = ()
    input_schema_ref: str | None = None


class FunctionConfig(Written, frozen=True, kw_only=True):
    """A step in Python. Without a ``body`` it is a stub. With ``sees_run``, the body also reads ``run`` (0.2)."""

    input_type: str
    output_type: str
    description: str | None = None
    emits: Literal["output", "message"] = "output"
    body: str | None = None
    sees_run: bool = False

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names that the body may read."""
        return ("node_input", "run") if self.sees_run else ("node_input",)


class RouterConfig(Written, frozen=True, kw_only=True):
    """Chooses one of ``routes``. ``body`` returns the label; without a body, the first route is taken."""

    routes: tuple[str, ...]
    description: str | None = None
    input_type: str | None = None
    body: str | None = None


class Guard(Written, frozen=True, kw_only=True):
    """Who may run a tool, and whether a person must confirm the call (0.2). ``guards`` defines the policy."""

    role: str | None = None
    confirm: bool = False
    destructive: bool = False


class ToolConfig(Written, frozen=True, kw_only=True):
    """A tool drawn as a node: a step if an edge touches it, and an agent's tool if an agent names it."""

    input_type: str
    output_type: str
    description: str | None = None
    body: str | None = None
    guard: Guard | None = None


class JoinConfig(Written, frozen=True, kw_only=True):
    """Waits for every branch."""

    description: str | None = None


class HumanInputConfig(Written, frozen=True, kw_only=True):
    """A pause. ``payload_ref`` is the type of what it shows, ``response_schema_ref`` that of the answer, else text."""

    message: str
    payload_ref: str | None = None
    response_schema_ref: str | None = None


class WorkflowConfig(Written, frozen=True, kw_only=True):
    """A graph inside a graph."""

    graph: Graph
    description: str | None = None


class LoopConfig(Struct, frozen=True, kw_only=True):
    """A loop, of either IR version.

    Attributes:
        reviser: makes draft 2 and all later drafts; None means that the generator makes them (0.2).
        approval_phrase: the critic's ``status`` that approves (0.1); None means that ``is_valid`` decides (0.2).
        input_type: type of the request x; None if the file does not give one, which means text.
        payload_type: type of a draft, and therefore of the loop's output: ``str`` or a type's name.
        timeout_seconds: time limit of one run of the loop, in seconds; None means no limit.
    """

    description: str | None
    max_iterations: int
    generator: AgentConfig
    critic: AgentConfig
    reviser: AgentConfig | None
    approval_phrase: str | None
    input_type: str | None
    payload_type: str
    on_exhausted: Literal["pass", "fail"]
    timeout_seconds: float | None


# ------------------------------------------------------------------ nodes, edges, tools, graph


class Ui(Written, frozen=True, kw_only=True):
    """Where the builder drew a node, in pixels. It has no meaning here."""

    x: float
    y: float


class _Node(Written, frozen=True, kw_only=True, tag_field="type"):
    id: str
    name: str
    ui: Ui | None = None


class AgentNode(_Node, frozen=True, kw_only=True, tag="agent"):
    """One model-driven step."""

    config: AgentConfig


class FunctionNode(_Node, frozen=True, kw_only=True, tag="function"):
    """A step in Python."""

    config: FunctionConfig


class RouterNode(_Node, frozen=True, kw_only=True, tag="router"):
    """Sends its input, unchanged, along one of its routes."""

    config: RouterConfig


class ToolNode(_Node, frozen=True, kw_only=True, tag="tool"):
    """A tool drawn in the graph."""

    config: ToolConfig


class JoinNode(_Node, frozen=True, kw_only=True, tag="join"):
    """Brings branches together."""

    config: JoinConfig


class HumanInputNode(_Node, frozen=True, kw_only=True, tag="humanInput"):
    """Pauses for a person's answer."""

    config: HumanInputConfig


class WorkflowNode(_Node, frozen=True, kw_only=True, tag="workflow"):
    """A nested graph as one step."""

    config: WorkflowConfig


class LoopNode(_Node, frozen=True, kw_only=True, tag="loop"):
    """A loop: generate, criticize, then revise or pass."""

    config: LoopConfig

    def member(self, role: Role) -> str:
        """Return the generated name of one of the loop's agents, ``<N>_<role>``."""
        return f"{self.name}_{role}"

    @property
    def router_name(self) -> str:
        """The generated name of the loop's router."""
        return f"{self.name}_router"

    @property
    def evaluation_name(self) -> str:
        """The generated name of the critic's output schema."""
        return f"{self.name}_CriticEvaluation"

    @property
    def members(self) -> tuple[tuple[Role, AgentConfig], ...]:
        """The loop's agents, in the order generator, critic, reviser (if there is one)."""
        both: tuple[tuple[Role, AgentConfig], ...] = (
            ("generator", self.config.generator),
            ("critic", self.config.critic),
        )
        return both if self.config.reviser is None else (*both, ("reviser", self.config.reviser))

    @property
    def evaluation(self) -> Schema:
        """The schema of the critic's output: ``is_valid`` (0.2) or ``status`` (0.1), and ``feedback``."""
        if self.config.approval_phrase is None:
            verdict = SchemaField(name="is_valid", type="bool")
        else:
            verdict = SchemaField(name="status", type="str")
        return Schema(name=self.evaluation_name, fields=(verdict, SchemaField(name="feedback", type="str")))


Node = AgentNode | FunctionNode | RouterNode | ToolNode | JoinNode | HumanInputNode | WorkflowNode | LoopNode


class Edge(Written, frozen=True, kw_only=True, rename={"from_": "from"}):
    """An edge from a node id (or ``START``) to a node id. Only an edge that leaves a router has a ``route``."""

    from_: str
    to: str
    route: str | None = None


class ToolParameter(Written, frozen=True, kw_only=True):
    """A parameter of a top-level tool. ``default`` is a JSON value or ``UNSET``."""

    name: str
    type: str
    default: Any | UnsetType = UNSET

    @property
    def has_default(self) -> bool:
        """Whether the file gives a default; a written ``null`` counts."""
        return self.default is not UNSET


class ToolDef(Written, frozen=True, kw_only=True, rename={"import_": "import"}):
    """A top-level tool (0.2). ``body`` reads the parameters by name; ``import_`` is ``module:callable``.

    A tool with neither of them is a stub, as a function without a body is.
    """

    name: str
    description: str
    returns: str
    parameters: tuple[ToolParameter, ...] = ()
    body: str | None = None
    import_: str | None = None
    guard: Guard | None = None


class Graph(Written, frozen=True, kw_only=True):
    """A complete IR: that of the file, or that of a workflow node."""

    ir_version: str
    name: str
    schemas: tuple[Schema, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    description: str | None = None
    tools: tuple[ToolDef, ...] = ()

    def node(self, node_id: str) -> Node | None:
        """Return the node with that id in this graph (not in nested ones), or None."""
        return next((node for node in self.nodes if node.id == node_id), None)
