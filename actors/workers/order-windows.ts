import { z } from 'zod';
import { keyframeFact } from '../../contract/evidence/evidence-object.ts';
import { packState, unpackState } from '../../executors/detector/packed-state.ts';
import type { PassWindows } from '../../executors/evidence/decode-graph.ts';
import type { SharedObjects } from '../../storage/objects/shared-objects.ts';
import type { SharedWindows } from './shared-outcomes.ts';

/** What was measured up to the end of a window, and the objects that its facts name. */
const measuredWindow = z.strictObject({
  state: z.instanceof(Uint8Array),
  named: z.array(keyframeFact.pick({ contentId: true, bytes: true })),
});
type MeasuredWindow = z.infer<typeof measuredWindow>;

export interface OrderWindowsOptions {
  readonly windows: SharedWindows;
  readonly objects: SharedObjects;
  readonly report: (line: string) => void;
}

/**
 * Keeps the windows of a long pass beside the objects, under the order, which names version, tools and parameters: the worker that takes
 * the order over goes on behind the newest one.
 */
export function orderWindows({ windows, objects, report }: OrderWindowsOptions, orderId: string) {
  return (lengthMs: number): PassWindows => ({
    lengthMs,
    newest: async (endsMs) => {
      for (const endMs of await windows.endsMs(orderId)) {
        const bytes = endsMs.includes(endMs) ? await windows.read(orderId, endMs) : null;
        const window = bytes === null ? null : readWindow(bytes);
        if (window === null || !(await areIntact(objects, window.named))) continue;
        report(`order ${orderId}: it goes on at ${endMs} ms`);
        return { endMs, state: window.state };
      }
      return null;
    },
    keep: ({ endMs, state, named }) => windows.add(orderId, endMs, packState({ state, named })),
  });
}

/** Null for bytes that are no window, whoever wrote them: the order would be given back again and again because of them. */
function readWindow(bytes: Uint8Array): MeasuredWindow | null {
  try {
    return measuredWindow.safeParse(unpackState(bytes)).data ?? null;
  } catch {
    return null;
  }
}

async function areIntact(objects: SharedObjects, named: MeasuredWindow['named']): Promise<boolean> {
  for (const { contentId } of named) if ((await objects.verify(contentId)) !== 'intact') return false;
  return true;
}
