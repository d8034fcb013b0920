import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { detectorIdleMs, openDetector } from '../../executors/detector/detector.ts';
import { openLauncher } from '../../executors/process/launcher.ts';
import { describeSandbox } from '../../executors/process/process-sandbox.ts';
import { forgetful, type KnownTool, knownTool, resolveTools, type ToolMemory } from '../../executors/process/tools.ts';
import type { Ledger, Write } from '../../storage/ledger/ledger.ts';
import type { EngineRegistry } from '../engines/engine-registry.ts';
import type { OpenFeature } from '../host-feature.ts';
import type { HostOptions, KnownMachine } from '../host-types.ts';
import { notedParts } from '../ingest/owned/uploads.ts';
import { enginesOf } from '../operation/engines.ts';
import { HostChecks } from '../operation/host-checks.ts';
import type { OpenStorage } from './open-storage.ts';

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

  /** This process knows better than a data root, which may come from a machine with other tools. */
  known(path: string): KnownTool | undefined {
    return this.#process.known(path) ?? this.#known.find((tool) => tool.path === path);
  }

  note(tool: KnownTool): void {
    this.#found.push(tool);
    this.#process.note(tool);
  }

  /** The rows to store; nothing if this start found what was known. */
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

/**
 * Opens the engines that every host measures with: the launcher of processes, the media tools and the detector.
 * A recognizer and a translator are opened by their first use. It removes leftovers of an earlier host from the data root first.
 * Rejects with coded errors.
 */
export async function openEngines(
  { clock, environment, report, launcher: given }: Pick<HostOptions, 'clock' | 'environment' | 'report' | 'launcher'>,
  { layout, ledger, objectStore }: OpenStorage,
  machine: Pick<KnownMachine, 'sandbox' | 'known' | 'note'>,
) {
  // It ends what runs in the folders of an earlier host, which must still be there for that.
  const { demandInPlace } = ledger;
  const launcher =
    given ??
    (await openLauncher({ workRoot: layout.work, newId: randomUUID, demandInPlace, sandbox: machine.sandbox }));
  const leftovers = await objectStore.sweep(await notedParts(ledger));
  for (const name of leftovers.made) report(`removed a leftover of an earlier run: ${name}`);
  for (const name of leftovers.foreign) report(`left alone, because no host made it: ${name}`);
  report(describeSandbox(launcher.sandbox));
  const remembered = new RememberedTools(ledger, machine);
  const detector = openDetector({ launcher, clock, idleMs: detectorIdleMs });
  const [tools, detectorTools] = await Promise.all([resolveTools(launcher, environment, remembered), detector.tools()]);
  return { launcher, remembered, detector, tools, detectorTools };
}

type Engines = Awaited<ReturnType<typeof openEngines>>;

interface OpenedChecks {
  readonly checks: HostChecks;
  /** Every tool that this host found at its start. */
  readonly tools: readonly Engines['detectorTools']['speech'][];
}

interface Checked extends Pick<Engines, 'launcher' | 'tools' | 'detectorTools'> {
  readonly features: readonly Pick<OpenFeature, 'engineRows' | 'findings' | 'operations' | 'tools'>[];
  /** The recognizer and the translator of now. */
  readonly named: Pick<EngineRegistry, 'choices' | 'recognizerRecord' | 'translatorRecord'>;
}

/** The checks of a host on its machine and its engines. */
export function openChecks(
  options: Pick<HostOptions, 'clock'>,
  { layout, objectStore }: OpenStorage,
  { launcher, tools, detectorTools, features, named }: Checked,
): OpenedChecks {
  const found = [tools.ffmpeg, tools.ffprobe];
  const detectors = [detectorTools.speech, detectorTools.language];
  const engines = () =>
    enginesOf({
      ...named.choices,
      detectors: [tools.ffmpeg.identity, ...detectors],
      hasWorkers: features.some(({ operations }) => operations !== undefined),
      others: features.flatMap(({ engineRows }) => engineRows?.() ?? []),
    });
  return {
    checks: new HostChecks({
      clock: options.clock,
      sandbox: launcher.sandbox,
      tools: found,
      detectors,
      further: () => features.flatMap(({ findings }) => findings?.() ?? []),
      engines,
      used: () => [named.recognizerRecord, named.translatorRecord].filter((record) => record !== null),
      root: layout.root,
      freeBytes: () => objectStore.freeBytes(),
    }),
    tools: found
      .map((tool) => tool.identity)
      .concat(
        features.flatMap((feature) => feature.tools ?? []),
        detectors,
      ),
  };
}
