import { noEngines } from '../../actors/engines/engine-choices.ts';
import { openHost } from '../../actors/host.ts';
import type { KnownMachine } from '../../actors/host-types.ts';
import { verifyRuntime } from '../../actors/reopening/verify-runtime.ts';
import type { Clock } from '../../contract/base/clock.ts';
import { EvaluationFault, type EvaluationReceipt, type PackItem } from '../../contract/evaluation.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import type { Environment } from '../../executors/process/tools.ts';
import { demandRunning } from '../../executors/recognition/recognizer.ts';
import { canonicalJson } from '../../formats/canonical-json.ts';
import { followedSignals } from '../../formats/followed-signal.ts';
import { defaultCaptionAllowance } from '../../receipts/captions/allowance.ts';
import type { TranslationCounts } from '../../receipts/evaluation/captions.ts';
import { checkLabeledMedia, evaluationReceiptOf, type StudiedItem } from '../../receipts/evaluation/receipt.ts';
import { openLedger } from '../../storage/ledger/open-ledger.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { openObjectStore } from '../../storage/objects/open-object-store.ts';
import { type ConfiguredFeature, withEnginesOf } from '../feature.ts';
import { ingestItem, type PackFolder, studyItem } from './labeled-media.ts';
import { translationTrial } from './translation-trials.ts';

interface PackEvaluation {
  readonly pack: PackFolder;
  /** No other process may use it. */
  readonly dataRoot: string;
  /** Names tools by variables and holds PATH. */
  readonly environment: Environment;
  /** The findings of earlier hosts in this process. */
  readonly machine?: KnownMachine;
  /** The features of its host. */
  readonly features: readonly Pick<ConfiguredFeature, 'engines' | 'open'>[];
  readonly clock: Clock;
  readonly newId: () => string;
  /** Lines for people. */
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

interface IngestedItem {
  readonly item: PackItem;
  readonly source: SourceSessionRow;
}

interface StartedItem {
  readonly item: PackItem;
  readonly runtimeId: string;
  readonly translations: TranslationCounts | null;
}

/** Without a recognizer every labeled word would count as missed. */
function refuseTranscripts({ pack }: PackFolder): void {
  const item = pack.items.find(({ labels }) => labels.transcript);
  if (item === undefined) return;
  throw new EvaluationFault('recognizer_missing', `${item.itemId}: labels.transcript`);
}

/** Without a reader every labeled text would count as missed. */
function refuseScreenTexts({ pack }: PackFolder): void {
  const item = pack.items.find(({ labels }) => labels.screenTexts);
  if (item === undefined) return;
  throw new EvaluationFault('screen_text_reader_missing', `${item.itemId}: labels.screenTexts`);
}

/**
 * Ingests all media, and studies the items once all media match their labels. It uses a host of its own that contacts nothing
 * outside this machine.
 */
async function studyPack(options: PackEvaluation): Promise<StartedItem[]> {
  const { pack: folder, dataRoot, environment, machine, clock, report, newId } = options;
  const { features } = options;
  const choices = { ...withEnginesOf(features, noEngines), recognizesEveryStudy: true };
  const { recognizer } = choices;
  if (recognizer === null) refuseTranscripts(folder);
  const fatal = new AbortController();
  const { signal, release } = followedSignals([options.signal, fatal.signal]);
  const host = await openHost({
    dataRoot,
    sources: [],
    limits: {
      maximumOwnedMediaBytes: Number.MAX_SAFE_INTEGER,
      maximumStudyRangeMs: Number.MAX_SAFE_INTEGER,
      // Studies that a stopped evaluation left in the data root go on beside this one.
      maximumLiveStudies: Number.MAX_SAFE_INTEGER,
      captionAllowance: defaultCaptionAllowance,
    },
    studyWorkers: 1,
    reviewer: { id: 'reviewer:none', label: 'An evaluation has no reviewer' },
    choices,
    features,
    environment,
    ...(machine === undefined ? {} : { machine }),
    clock,
    report,
    points: () => undefined,
    onFatal: (error) => fatal.abort(error),
  });
  try {
    if (!host.features.some(({ stages }) => stages?.readScreen?.isOffered)) refuseScreenTexts(folder);
    // Studies go on without a recognizer that does not run, and every labeled word would count as missed.
    if (recognizer !== null && recognizer.provider === undefined) await demandRunning(await host.engines.recognizer());
    host.begin();
    const ingested: IngestedItem[] = [];
    // Another label would make another revision of the same bytes, so that items share their medium as the first brought it.
    const media = new Map<string, SourceSessionRow>();
    for (const item of folder.pack.items) {
      signal.throwIfAborted();
      const { contentId } = item.media;
      const source =
        media.get(contentId) ?? (await ingestItem(host.ownedIngests, folder.pack, item, folder.pathOf(item), signal));
      media.set(contentId, source);
      const registered = host.sources.revision(source.sourceRevisionId);
      if (registered !== undefined) checkLabeledMedia(item, registered);
      ingested.push({ item, source });
    }
    const started: StartedItem[] = [];
    for (const { item, source } of ingested) {
      signal.throwIfAborted();
      const runtimeId = await studyItem(host.studies, item, source, `evaluation:${newId()}`, signal);
      report(`studied ${item.itemId}: ${runtimeId}`);
      const { translations: label } = item.labels;
      const translations = label ? await translationTrial(label, host.languages, signal) : null;
      started.push({ item, runtimeId, translations });
    }
    return started;
  } finally {
    release();
    await host.close();
  }
}

/** Reopens what the studies stored, down to the last byte, after the host that wrote it has ended. */
async function reopenItems({ dataRoot, clock }: PackEvaluation, items: readonly StartedItem[]): Promise<StudiedItem[]> {
  const objectStore = await openObjectStore({ root: dataRoot });
  const ledger = await openLedger({
    directory: dataRootAt(dataRoot).ledger,
    clock,
    encodeEvent: canonicalJson,
    onFatal: () => undefined,
  });
  try {
    const reopened: StudiedItem[] = [];
    for (const { item, runtimeId, translations } of items) {
      const { runtime } = await verifyRuntime({ ledger, objectStore }, runtimeId, () => undefined);
      reopened.push({ item, runtime, translations });
    }
    return reopened;
  } finally {
    await ledger.close();
  }
}

/**
 * Runs a study over every item of a pack, reopens its evidence from disk and scores it. The data root keeps the studies.
 * Throws `EvaluationFault`, the coded errors of host, store and tools, and the reason of `signal`.
 */
export async function evaluatePack(options: PackEvaluation): Promise<EvaluationReceipt> {
  return evaluationReceiptOf(options.pack, await reopenItems(options, await studyPack(options)));
}
