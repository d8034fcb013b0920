import { randomUUID } from 'node:crypto';
import { openDetector } from '../../executors/detector/detector.ts';
import { openLauncher } from '../../executors/process/launcher.ts';
import { describeSandbox } from '../../executors/process/process-sandbox.ts';
import { resolveTools } from '../../executors/process/tools.ts';
import { openRecognizer } from '../../executors/recognition/open-recognizer.ts';
import { openScreenTextReader } from '../../executors/screentext/tesseract.ts';
import type { HostOptions } from '../host-types.ts';
import { notedParts } from '../ingest/owned/upload-notes.ts';
import type { KnownMachine } from './known-machine.ts';
import type { OpenStorage } from './open-storage.ts';
import { RememberedTools } from './remembered-tools.ts';

/** The detector process is ended after this long without work. */
const detectorIdleMs = 60_000;

/**
 * Opens what a host measures with: the launcher of processes, the media tools, the detector, the recogniser and the reader of the
 * screen. It removes what an earlier host left in the data root first. Rejects with coded errors.
 */
export async function openEngines(
  { clock, environment, recognizer: chosen = null, screenText = null, report, launcher: given }: HostOptions,
  { layout, ledger, objectStore }: OpenStorage,
  machine: Pick<KnownMachine, 'sandbox' | 'known' | 'note'>,
) {
  // It ends what runs in the folders of an earlier host, which must still be there for that.
  const launcher =
    given ?? (await openLauncher({ workRoot: layout.work, newId: randomUUID, sandbox: machine.sandbox }));
  const leftovers = await objectStore.sweep(await notedParts(ledger));
  for (const name of leftovers.made) report(`removed a leftover of an earlier run: ${name}`);
  for (const name of leftovers.foreign) report(`left alone, because no host made it: ${name}`);
  report(describeSandbox(launcher.sandbox));
  const remembered = new RememberedTools(ledger, machine);
  const detector = openDetector({ launcher, clock, idleMs: detectorIdleMs });
  const [tools, detectorTools, recognizer, screenTextReader] = await Promise.all([
    resolveTools(launcher, environment, remembered),
    detector.tools(),
    chosen === null ? null : openRecognizer(launcher, chosen, { environment, clock }),
    screenText === null ? null : openScreenTextReader(screenText, { launcher, clock }),
  ]);
  return { launcher, remembered, detector, tools, detectorTools, recognizer, screenTextReader };
}
