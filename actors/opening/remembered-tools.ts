import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { forgetful, type KnownTool, knownTool, type ToolMemory } from '../../executors/process/tools.ts';
import type { Ledger, Write } from '../../storage/ledger/ledger.ts';

const tools = { space: 'record', key: 'host/tools' } as const;
const toolsRow = z.strictObject({ tools: z.array(knownTool) });

/** Keeps the tools that a start found for the next one, which needs not ask those that are unchanged. */
export class RememberedTools implements ToolMemory {
  readonly #known: readonly KnownTool[];
  readonly #found: KnownTool[] = [];
  readonly #process: ToolMemory;

  /** `process` knows what hosts before this one found in this process. */
  constructor(ledger: Pick<Ledger, 'get'>, process = forgetful) {
    this.#known = storedTools(ledger);
    this.#process = process;
  }

  /** What this process found is newer than what a data root holds, which may come from a machine with other tools. */
  known(path: string): KnownTool | undefined {
    return this.#process.known(path) ?? this.#known.find((tool) => tool.path === path);
  }

  note(tool: KnownTool): void {
    this.#found.push(tool);
    this.#process.note(tool);
  }

  /** What has to be stored; nothing where this start found what was known. */
  writes(): Write[] {
    const isNew = this.#found.some((tool) => !this.#known.some((known) => isDeepStrictEqual(known, tool)));
    return isNew ? [{ put: tools.space, key: tools.key, value: { tools: this.#found } }] : [];
  }
}

/** A row that cannot be read costs the start the time to ask. */
function storedTools(ledger: Pick<Ledger, 'get'>): readonly KnownTool[] {
  try {
    return toolsRow.parse(ledger.get(tools.space, tools.key)).tools;
  } catch {
    return [];
  }
}
