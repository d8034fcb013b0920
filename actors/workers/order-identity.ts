import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { Range } from '../../contract/base/grammar.ts';
import type { WorkOrder, WorkTask } from '../../contract/workers.ts';
import type { OperationIdentity } from '../../executors/evidence/detection-identity.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { operationKeyOf } from '../../receipts/identities.ts';
import { attachedFilesOf } from '../study/media-task.ts';

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

/** Which part of it is read; a sound is read as a whole. */
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

/** The first tool that is asked for and is not among those that are there, in words; null where all are. */
export function missingTool(asked: readonly ToolIdentity[], there: readonly ToolIdentity[]): string | null {
  const named = ({ name, version, digest }: ToolIdentity) => `${name} ${version} (${digest.slice(0, 19)})`;
  for (const tool of asked) {
    const own = there.find(({ name }) => name === tool.name);
    if (own === undefined) return `${named(tool)} is asked for, and there is no ${tool.name}`;
    if (own.version !== tool.version || own.digest !== tool.digest) {
      return `${named(tool)} is asked for, and ${named(own)} is there`;
    }
  }
  return null;
}
