import type { Range } from '../../contract/base/grammar.ts';
import type { ToolIdentity } from '../../contract/base/tool.ts';
import { hashOf } from './canonical-json.ts';

/** Everything that an operation's result depends on. */
export interface OperationInput {
  /** What is done, such as `media.detect`; dots become hyphens in the operation's id. */
  readonly operation: string;
  readonly inputContentIds: readonly string[];
  readonly range: Range;
  readonly tools: readonly ToolIdentity[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Identifies the work itself, for any caller: equal keys mean equal results. 64 hex digits. */
export const operationKeyOf = ({ operation, inputContentIds, range, tools, parameters }: OperationInput): string =>
  hashOf({ operation, inputContentIds, range, tools, parameters });

/**
 * The name of an operation in every journal that holds it; unique within a run, whose operations differ in their input. `key`
 * where it is known already.
 */
export const operationIdOf = (input: OperationInput, key: string = operationKeyOf(input)): string =>
  `operation:${input.operation.replaceAll('.', '-')}:${key}`;
