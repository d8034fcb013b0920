import { count } from '../base/grammar.ts';
import { commandId, runtimeId } from './runtime-start.ts';

/** What every list of a runtime says beside its own rows; `journalHead` counts the events that the rows rest on. */
export const runtimeListFields = { commandId, runtimeId, journalHead: count };
