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

export type AdapterPreference = 'auto' | 'uws' | 'node';

export interface ChosenListener {
  readonly open: OpenListener;
  readonly adapter: Listener['adapter'];
  /** For people: why this adapter. */
  readonly reason: string;
}

/**
 * Chooses the adapter: native where the package holds a binary for this platform, architecture and binary interface
 * that really loads, `node:http` everywhere else. Rejects when `uws` is demanded and no binary fits.
 */
export async function chooseListener(
  preference: AdapterPreference = 'auto',
  target: NativeTarget = THIS_RUNTIME,
  folder = packageFolder(),
): Promise<ChosenListener> {
  if (preference === 'node') return onNode('asked for');
  const misfit = whyNotNative(target, folder);
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
