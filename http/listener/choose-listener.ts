import { readFileSync } from 'node:fs';
import type { Listener, OpenListener } from './listener.ts';
import { openNodeListener } from './node-listener.ts';
import {
  findUwsBinary,
  loadUws,
  type NativeTarget,
  packageFolder,
  THIS_RUNTIME,
  uwsBinaryName,
} from './uws-binding.ts';
import { openUwsListener } from './uws-listener.ts';

/**
 * How many files and connections this process may have open, or null where the system does not say (it does on Linux, in
 * `/proc/self/limits`). Node has raised it to the hard limit by then.
 */
export function descriptorLimit(read: () => string = () => readFileSync('/proc/self/limits', 'latin1')): number | null {
  try {
    const [, soft] = /^Max open files +(\w+)/m.exec(read()) ?? [];
    const limit = Number(soft);
    return Number.isSafeInteger(limit) ? limit : null;
  } catch {
    return null;
  }
}

export type AdapterPreference = 'auto' | 'uws' | 'node';

export interface ChosenListener {
  readonly open: OpenListener;
  readonly adapter: Listener['adapter'];
  /** For people: why this adapter. */
  readonly reason: string;
}

/**
 * The native library reports a connection only with its first whole request, so the host cannot count the connections of
 * strangers. They only end, after 12 s each. With 1,024 descriptors allowed, 1,100 strangers took all of them, and left none for
 * the host's own files.
 */
const DESCRIPTORS_FOR_NATIVE = 8_192;

/**
 * Chooses the adapter. It is native if the package holds a binary for this platform, architecture and ABI that really loads, and
 * if descriptors are plenty. Otherwise it is `node:http`, which counts its strangers. Rejects if the caller demands `uws` and no
 * binary fits.
 */
export async function chooseListener(
  preference: AdapterPreference = 'auto',
  target: NativeTarget = THIS_RUNTIME,
  folder = packageFolder(),
  descriptors = descriptorLimit(),
): Promise<ChosenListener> {
  if (preference === 'node') return onNode('asked for');
  const misfit = whyNotNative(target, folder);
  if (misfit === undefined && preference === 'auto' && descriptors !== null && descriptors < DESCRIPTORS_FOR_NATIVE) {
    return onNode(`only ${descriptors} open files are allowed: ulimit -n ${DESCRIPTORS_FOR_NATIVE} for the native one`);
  }
  if (misfit === undefined) {
    return { open: openUwsListener, adapter: 'uWebSockets.js', reason: `native binary ${uwsBinaryName(target)}` };
  }
  if (preference === 'uws') throw new Error(misfit);
  return onNode(misfit);
}

function onNode(reason: string): ChosenListener {
  return { open: openNodeListener, adapter: 'node:http', reason };
}

function whyNotNative(target: NativeTarget, folder: string | undefined): string | undefined {
  const path = findUwsBinary(target, folder);
  if (path === undefined) return `no native binary ${uwsBinaryName(target)}`;
  try {
    loadUws(path);
  } catch (error) {
    return `native binary ${uwsBinaryName(target)} does not load: ${error instanceof Error ? error.message : error}`;
  }
  return undefined;
}
