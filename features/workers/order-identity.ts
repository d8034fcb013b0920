import { attachedFilesOf } from '../../actors/study/media-task.ts';
import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { Range } from '../../contract/base/grammar.ts';
import { type WorkOrder, type WorkOutcome, type WorkTask, workOutcome } from '../../contract/workers.ts';
import type { OperationIdentity } from '../../executors/evidence/detection-identity.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { operationKeyOf } from '../../receipts/identities.ts';
import type { OrderFile } from './shared-outcomes.ts';

/** A worker delivered something that does not count. `message` says why. */
export class OutcomeRefused extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'OutcomeRefused';
  }
}

/** The operation itself came to nothing on a worker, as it would have here. `message` is that of its tool. */
export class OperationFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OperationFailed';
  }
}

/** An order by everything that it carries: an order that differs anywhere is another one. 64 hex digits. */
export const orderIdOf = (order: WorkOrder): string => hashOf(order);

/** The object that a task reads, by its content id. */
export const inputOf = (task: WorkTask): string =>
  task.capability === 'semantic.recognize.region' ? task.soundContentId : task.sourceContentId;

/** Every object that a task reads: its media or sound, and subtitle files. */
export const inputsOf = (task: WorkTask): string[] => [
  inputOf(task),
  ...(task.capability === 'semantic.recognize.region' ? [] : attachedFilesOf(task)),
];

/** The range that is read; a sound is read as a whole. */
const rangeOf = (task: WorkTask): Range =>
  task.capability === 'semantic.recognize.region' ? { startMs: 0, endMs: 0 } : task.range;

/** The operation key of a task with these tools, set so: the same for a study on one machine. */
export const taskKeyOf = (task: WorkTask, { tools, parameters }: OperationIdentity): string =>
  operationKeyOf({
    operation: task.capability,
    inputContentIds: [inputOf(task)],
    range: rangeOf(task),
    tools,
    parameters,
  });

/** The first requested tool that this machine lacks, in words; null if it has all. */
export function missingTool(asked: readonly ToolIdentity[], there: readonly ToolIdentity[]): string | null {
  const named = ({ name, version, digest }: ToolIdentity) => `${name} ${version} (${digest.slice(0, 19)})`;
  for (const tool of asked) {
    const own = there.find(({ name }) => name === tool.name);
    if (own === undefined) return `the order needs ${named(tool)}, and this worker has no ${tool.name}`;
    if (own.version !== tool.version || own.digest !== tool.digest) {
      return `the order needs ${named(tool)}, and this worker has ${named(own)}`;
    }
  }
  return null;
}

/** An outcome as its worker wrote it. Throws `OutcomeRefused` for any other file. */
export function parsedOutcome({ bytes }: OrderFile): WorkOutcome {
  if (bytes === null) throw new OutcomeRefused('the file cannot be read');
  try {
    return workOutcome.parse(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw new OutcomeRefused('the file is not an outcome of an order', error);
  }
}

/** The outcome of this very order, by the tools that it asks for and the same program. Throws `OutcomeRefused` for any other. */
export function readOutcome(found: OrderFile, id: string, order: WorkOrder): WorkOutcome {
  const outcome = parsedOutcome(found);
  const { worker, version, tools } = outcome;
  if (outcome.orderId !== id || outcome.operationKey !== order.operationKey) {
    throw new OutcomeRefused(`${worker} wrote it about another order`);
  }
  if (version !== order.version) {
    throw new OutcomeRefused(`${worker} runs version ${version}, and this host ${order.version}`);
  }
  const missing = missingTool(order.tools, tools) ?? missingTool(tools, order.tools);
  if (missing !== null) throw new OutcomeRefused(`${worker} measured with other tools: ${missing}`);
  return outcome;
}
