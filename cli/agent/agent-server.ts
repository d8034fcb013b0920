import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type ListToolsResult,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { StudyHost } from '../../client/study-host.ts';
import { version } from '../../contract/base/program-version.ts';
import type { Engine, EngineKind } from '../../contract/operation.ts';
import { answered, refused, type ToolResult } from './agent-answers.ts';
import { spelledArguments } from './agent-arguments.ts';

/** A call under way. */
export interface ToolCall {
  readonly signal: AbortSignal;
  /** Tells an agent that asked for it how far the call has come. */
  readonly progressed: (words: () => string | Promise<string>) => Promise<void>;
}

interface ToolHints {
  /** True if a call changes nothing. */
  readonly readOnly: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  /** The engines that a call may use: the hint follows what they reach. None for a call that stays within the host. */
  readonly uses?: readonly EngineKind[];
}

/** What a tool is to agents: its words, the form of its arguments and of its answer, and its effects. */
interface ToolForm<Given extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly given: Given;
  readonly answer: z.ZodObject;
  readonly hints: ToolHints;
}

/** A tool of an agent. */
export interface AgentTool extends ToolForm<z.ZodObject> {
  readonly ask: (given: unknown, call: ToolCall) => Promise<ToolResult>;
}

/** Its arguments and its answer are checked; `run` gets the former, and throws what a client of the host throws. */
export function agentTool<Given extends z.ZodObject>(
  form: ToolForm<Given>,
  run: (given: z.output<Given>, call: ToolCall) => Promise<object>,
): AgentTool {
  return {
    ...form,
    ask: async (given, call) => {
      const parsed = form.given.safeParse(spelledArguments(form.given, given));
      if (parsed.success) return answered(() => run(parsed.data, call));
      const issues = parsed.error.issues.map(({ message, path }) =>
        path.length === 0 ? message : `${message} at ${path.join('.')}`,
      );
      return refused(`Invalid arguments for tool ${form.name}: ${issues.join('\n')}`);
    },
  };
}

/** A part of an answer whose further fields are those of the wire (`docs/openapi.json`). */
export const wirePart = z.looseObject({});

/** The form of an answer in parts. `isShortened` is there only in one that would have been too long. */
export const answerOf = (shape: z.ZodRawShape) => z.looseObject({ ...shape, isShortened: z.literal(true).optional() });

/** How long a list of tools waits for the engines of the host, in ms: agents ask before the host is found. */
const patienceMs = 2000;

/** The engines whose work leaves the processes of the host. */
export const reachingEngines = (engines: readonly Engine[]): readonly Engine[] =>
  engines.filter(({ isOn, reach }) => isOn && reach !== 'this_host');

/** The kinds of engine that reach a server now; null if the host has not said so in time. */
async function reachOf(host: StudyHost): Promise<ReadonlySet<EngineKind> | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, patienceMs, null);
  });
  const asked = host
    .checks()
    .then(({ engines }) => new Set(reachingEngines(engines).map(({ engine }) => engine)))
    .catch(() => null);
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A hint that is unknown is the cautious one: no client may take a call for local that is not. */
const isOpen = ({ uses = [] }: ToolHints, reach: ReadonlySet<EngineKind> | null): boolean =>
  uses.length > 0 && (reach === null || uses.some((engine) => reach.has(engine)));

// Clients of the protocol read this form of JSON schema.
const schemaOf = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { target: 'draft-7', io }) as ListToolsResult['tools'][number]['inputSchema'];

const listed = ({ name, description, given, answer, hints }: AgentTool, reach: ReadonlySet<EngineKind> | null) => ({
  name,
  description,
  inputSchema: schemaOf(given, 'input'),
  outputSchema: schemaOf(answer, 'output'),
  annotations: {
    readOnlyHint: hints.readOnly,
    ...(!hints.readOnly && { destructiveHint: hints.destructive ?? false, idempotentHint: hints.idempotent ?? false }),
    openWorldHint: isOpen(hints, reach),
  },
});

/**
 * Serves tools over one host. Arguments are taken as agents spell them. The hints of a list follow the settings of the host; agents are
 * told of a list that has changed with them after each call.
 */
export function agentServer(host: StudyHost, instructions: string, tools: readonly AgentTool[]): McpServer {
  const server = new McpServer({ name: 'local-media-study-service', version }, { instructions });
  const named = new Map(tools.map((tool) => [tool.name, tool]));
  let shownReach: string | null = null;
  const wordOf = (reach: ReadonlySet<EngineKind> | null) => [...(reach ?? ['unknown'])].sort().join(' ');
  const noticed = async () => {
    const reach = await reachOf(host);
    if (shownReach === null || reach === null || wordOf(reach) === shownReach) return;
    shownReach = wordOf(reach);
    if (server.isConnected()) server.sendToolListChanged();
  };
  server.server.registerCapabilities({ tools: { listChanged: true } });
  server.server.setRequestHandler(ListToolsRequestSchema, async () => {
    const reach = await reachOf(host);
    shownReach = wordOf(reach);
    // The host may be found, or started, later than the agent waits.
    if (reach === null) void host.checks().then(noticed, () => undefined);
    return { tools: tools.map((tool) => listed(tool, reach)) };
  });
  // A client may send `null` for no arguments, which the protocol's own form refuses.
  const params = CallToolRequestSchema.shape.params;
  const request = CallToolRequestSchema.extend({
    params: params.extend({ arguments: z.preprocess((given) => given ?? undefined, params.shape.arguments) }),
  });
  server.server.setRequestHandler(request, async ({ params }, extra) => {
    const { name, _meta } = params;
    const tool = named.get(name);
    if (tool === undefined) return refused(`Tool ${name} not found`);
    const { signal, sendNotification } = extra;
    const progressToken = _meta?.progressToken;
    let progress = 0;
    const progressed: ToolCall['progressed'] = async (words) => {
      if (progressToken === undefined || signal.aborted) return;
      progress += 1;
      const params = { progressToken, progress, message: await words() };
      await sendNotification({ method: 'notifications/progress', params });
    };
    const result = await tool.ask(params.arguments ?? {}, { signal, progressed });
    if (tool.hints.uses !== undefined) void noticed();
    return result;
  });
  return server;
}
