import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { ToolIdentity } from '../../contract/base/artifact.ts';
import { contentId } from '../../contract/base/grammar.ts';
import { type ProbeResult, probeResult } from '../../contract/sources/media-probe.ts';
import { sourceReceipt } from '../../contract/sources/source-receipt.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { EffectOutcome } from '../../machines/emission.ts';
import type { MediaInput } from '../../machines/ingest-tail.ts';
import { maximumRecordBytes } from '../../receipts/sources/reopen-source.ts';
import {
  type MeasuredMedia,
  type PinnedFiles,
  type SealedSource,
  sealWithSubtitles,
} from '../../receipts/sources/seal-source.ts';
import { readSealedRecord } from '../../receipts/sources/sealed-record.ts';
import { subtitleFilesIn } from '../../receipts/sources/subtitle-track.ts';
import { verifySourceInSteps } from '../../receipts/sources/verify-source.ts';
import type { HostBasis } from '../host-basis.ts';
import { readSourceFile } from '../sources/source-files.ts';
import type { UnusedMedia } from '../sources/unused-media.ts';
import type { ProgressBoard } from '../supervision/progress-board.ts';
import { TimeSlices } from '../supervision/system-clock.ts';

interface IngestSealingOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry'> {
  readonly unused: UnusedMedia;
  readonly progress: Pick<ProgressBoard, 'note' | 'forget'>;
  /** Measures a media file and tells how much of it was read, in ms; rejects with the reason why it is refused. */
  readonly probe: (
    path: string,
    signal: AbortSignal,
    onRead: (completedMs: number, totalMs: number) => void,
  ) => Promise<ProbeResult>;
  readonly probeTools: readonly ToolIdentity[];
}

const probeKey = (ingestId: string): string => `ingest/${ingestId}/probe`;
const sealedKey = (ingestId: string): string => `ingest/${ingestId}/sealed`;

const sealedRow = z.strictObject({
  preflight: contentId,
  records: z.strictObject({
    'source-receipt': contentId,
    'container-probe': contentId,
    'speech-activity': contentId.optional(),
    'language-ranges': contentId.optional(),
    resolution: contentId.optional(),
  }),
});

/** The last steps of every ingest, whatever way its media came: measuring, sealing, and reading the seal back. */
export class IngestSealing {
  readonly #options: IngestSealingOptions;
  readonly #written = new Map<string, readonly string[]>();
  readonly #slices = new TimeSlices();

  constructor(options: IngestSealingOptions) {
    this.#options = options;
    options.unused.heldBy((contentId) => [...this.#written.values()].some((records) => records.includes(contentId)));
  }

  /**
   * The content ids of the records that were stored for an ingest, by this process or an earlier one. Null if the row cannot be
   * read any more.
   */
  written(ingestId: string): readonly string[] | null {
    const known = this.#written.get(ingestId);
    if (known !== undefined) return known;
    try {
      const stored = this.#options.ledger.get('record', sealedKey(ingestId));
      if (stored === undefined) return [];
      const { preflight, records } = sealedRow.parse(stored);
      return [preflight, ...Object.values(records).filter((contentId) => contentId !== undefined)];
    } catch {
      // A reader that needs the row fails by it; here the row only lists objects that are of no further use.
      return null;
    }
  }

  /** The ingest has ended: its records are those of a source now, or those of no source. */
  forget(ingestId: string): void {
    this.#written.delete(ingestId);
    this.#options.progress.forget(ingestId);
  }

  async probe(input: MediaInput, signal: AbortSignal): Promise<EffectOutcome> {
    const { objectStore, probe, progress } = this.#options;
    const { ingestId, contentId: media } = input;
    await this.#demandIntact('probe', input);
    const value = await probe(objectStore.locate(media), signal, (completed, total) =>
      progress.note(ingestId, { stage: 'probe', completed, total, unit: 'milliseconds' }),
    );
    return { events: [], writes: [{ put: 'record', key: probeKey(ingestId), value }] };
  }

  /** Writes what `sealWith` makes of the measured media; evidence that is pinned to the same bytes is carried over. */
  async seal(
    { ingestId, contentId: media, bytes }: MediaInput,
    signal: AbortSignal,
    sealWith: (measured: MeasuredMedia) => SealedSource,
  ): Promise<EffectOutcome> {
    const { ledger, objectStore, unused, probeTools } = this.#options;
    const sealed = sealWith({
      media: { contentId: media, bytes },
      probe: probeResult.parse(ledger.get('record', probeKey(ingestId))),
      tools: probeTools,
      pinned: await this.#pinned(media),
    });
    const { objects, source } = await this.#withSubtitles(sealed);
    signal.throwIfAborted();
    this.#written.set(
      ingestId,
      objects.map(({ contentId }) => contentId),
    );
    await objectStore.putAll(objects);
    // It may have ended while they were being stored; nothing could remove them then.
    if (signal.aborted) unused.removeSoon();
    const pinned = (kind: string) => source.pinnedEvidence.find((each) => each.kind === kind)?.contentId;
    const { preflight, sourceReceipt, mediaProbe } = source.session;
    const value = {
      preflight: preflight.contentId,
      records: {
        'source-receipt': sourceReceipt.contentId,
        'container-probe': mediaProbe.contentId,
        'speech-activity': pinned('speech-activity-receipt'),
        'language-ranges': pinned('language-ranges-receipt'),
        resolution: source.sourceKind === 'videohost_local' ? source.provider.resolutionContentId : undefined,
      },
    };
    return { events: [], writes: [{ put: 'record', key: sealedKey(ingestId), value }] };
  }

  /** Reads the sealed files back from disk and verifies them as a whole: only that makes a source. */
  async register(input: MediaInput): Promise<RegisteredSource> {
    const { ledger, objectStore, registry } = this.#options;
    const { ingestId, contentId: media, bytes } = input;
    const { preflight, records } = sealedRow.parse(ledger.get('record', sealedKey(ingestId)));
    await this.#demandIntact('seal', input);
    const read: Record<string, Buffer> = {};
    for (const [kind, id] of Object.entries(records)) {
      if (id !== undefined) read[kind] = await objectStore.read(id, maximumRecordBytes);
    }
    const chain = {
      media: { contentId: media, bytes },
      preflight: await objectStore.read(preflight, maximumRecordBytes),
      records: read,
      subtitles: await this.#subtitles(read['source-receipt']),
    };
    const source = await this.#slices.run(verifySourceInSteps(chain, null));
    const current = registry.current(source.session.sessionId);
    if (isDeepStrictEqual(current?.subtitleTracks, source.subtitleTracks)) return source;
    throw new Error('the subtitle files of the source changed while its media was sealed: ingest it again');
  }

  async #demandIntact(
    stage: 'probe' | 'seal',
    { ingestId, contentId: media, bytes: total }: MediaInput,
  ): Promise<void> {
    const { objectStore, progress } = this.#options;
    const hashed = (completed: number): void => progress.note(ingestId, { stage, completed, total, unit: 'bytes' });
    if ((await objectStore.verify(media, { hashed })) !== 'intact') throw new Error('the media is gone or has changed');
    // Bytes that this host has hashed before are not read again.
    hashed(total);
  }

  /** Subtitle files that are attached to the current revision of the same source stay attached. */
  async #withSubtitles(sealed: SealedSource): Promise<SealedSource> {
    const { registry, objectStore } = this.#options;
    const current = registry.current(sealed.source.session.sessionId);
    if (current?.subtitleTracks === undefined) return sealed;
    const receipt = await readSourceFile(objectStore, current, current.session.sourceReceipt.contentId);
    const { subtitle_tracks: tracks = [] } = readSealedRecord(sourceReceipt, receipt, 'source-receipt');
    const files = new Map<string, Uint8Array>();
    for (const { contentId } of subtitleFilesIn(receipt)) {
      files.set(contentId, await readSourceFile(objectStore, current, contentId));
    }
    return this.#slices.run(sealWithSubtitles(sealed.chain, tracks, files));
  }

  async #subtitles(receipt: Uint8Array | undefined): Promise<Map<string, Uint8Array>> {
    const files = new Map<string, Uint8Array>();
    for (const { contentId } of receipt === undefined ? [] : subtitleFilesIn(receipt)) {
      files.set(contentId, await this.#options.objectStore.read(contentId, maximumRecordBytes));
    }
    return files;
  }

  async #pinned(media: string): Promise<PinnedFiles | null> {
    const { registry, objectStore } = this.#options;
    const source = registry.withContent(media);
    if (source === undefined) return null;
    const bytesOf = (kind: string): Promise<Buffer> | null => {
      const pinned = source.pinnedEvidence.find((each) => each.kind === kind);
      return pinned === undefined ? null : readSourceFile(objectStore, source, pinned.contentId);
    };
    const speechActivity = await bytesOf('speech-activity-receipt');
    if (speechActivity === null) return null;
    return { speechActivity, languageRanges: await bytesOf('language-ranges-receipt') };
  }
}
