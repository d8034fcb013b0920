import { probeSandbox } from '../../executors/process/launcher.ts';
import type { KnownTool, ToolMemory } from '../../executors/process/tools.ts';

/**
 * What the hosts of one process need to find out only once: which walls this machine allows around a process, and which
 * tools it has. A tool whose files changed is asked again.
 */
export class KnownMachine implements ToolMemory {
  readonly sandbox = probeSandbox();
  readonly #tools = new Map<string, KnownTool>();

  known(path: string): KnownTool | undefined {
    return this.#tools.get(path);
  }

  note(tool: KnownTool): void {
    this.#tools.set(tool.path, tool);
  }
}
