import type { HostCore } from '../../actors/host-feature.ts';
import { TimeSlices } from '../../actors/supervision/system-clock.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import type { Range } from '../../contract/base/grammar.ts';
import { derivedStatement, type MadeSubtitles } from '../../contract/sources/derived-subtitles.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import {
  type SubtitleFix,
  type SubtitleFixProposal,
  type SubtitleFixQuery,
  type SubtitleFixRequest,
  subtitleFixQueryFields,
  subtitleFixRequest,
} from '../../contract/sources/subtitle-fix.ts';
import type { SubtitleFormat } from '../../contract/sources/subtitle-track.ts';
import { openSubtitleFile } from '../../formats/subtitles.ts';
import { speechIn } from '../../receipts/captions/plan.ts';
import type { VerifiedRuntime } from '../../receipts/fold.ts';
import { type Derivation, type ParentText, resyncedBySteps } from '../../receipts/sources/derived-subtitles.ts';
import { contentRefOf } from '../../receipts/sources/sealed-record.ts';
import { ruleSets } from '../../rules/rule-sets.ts';
import { trackFile } from './film-subtitles.ts';
import {
  attachedFileOf,
  attestedBytes,
  demandReviewer,
  labelOf,
  offerOf,
  type ProposedTrack,
} from './proposed-track.ts';
import { cuesOfFile, recordedStretch } from './subtitle-cues.ts';
import { checkedBySteps } from './sync-check.ts';
import { checkedQuery } from './text-requests.ts';

type FixesOptions = Pick<
  HostCore,
  'runtimes' | 'registry' | 'objectStore' | 'launcher' | 'tools' | 'subtitleTracks' | 'reviewer'
>;

type Query = ReadonlyMap<string, string>;

/** A parent that a person may have fixed, with all that is proposed. */
interface Proposed extends ProposedTrack {
  readonly parent: ParentText & { readonly format: SubtitleFormat };
  readonly made: Extract<MadeSubtitles, { origin: 'resynced' }>;
  readonly proposal: SubtitleFixProposal;
}

/** The service that compares subtitles with the speech of a study, and attaches them with the times of the film. */
export class SubtitleFixes {
  readonly #options: FixesOptions;
  readonly #slices = new TimeSlices();

  constructor(options: FixesOptions) {
    this.#options = options;
  }

  /** Throws `unknown_runtime`, `runtime_deleted` and `stored_content_inconsistent`. */
  async demandRuntime(runtimeId: string): Promise<void> {
    await this.#options.runtimes.read(runtimeId);
  }

  /**
   * The verdict for each stretch of subtitles, and what a fix would move; records nothing. `body` is a subtitle file, unless the query
   * names a track. Throws `invalid_subtitle_request`, `unknown_runtime`, `subtitle_sync_unavailable`, `unknown_subtitle_track`,
   * `source_revalidation_failed` and the codes of `openSubtitleFile`.
   */
  async propose(runtimeId: string, query: Query, body: Uint8Array | null): Promise<SubtitleFixProposal> {
    const asked = checkedQuery(subtitleFixQueryFields, query);
    return (await this.#proposed(runtimeId, asked, body)).proposal;
  }

  /**
   * Attaches the subtitles of a proposal that a person has seen, with their attestation. The same fix again is attached once. Throws as
   * `propose` and `SubtitleTracks.attach`. Throws `reviewer_identity_mismatch` for another reviewer. Throws `subtitle_fix_mismatch` if
   * the digest is not that of the proposal of now, or if there is nothing to move.
   */
  async fix(
    runtimeId: string,
    query: Query,
    body: Uint8Array | null,
  ): Promise<{ readonly isNew: boolean; readonly body: SubtitleFix }> {
    const request = checkedQuery(subtitleFixRequest, query);
    const { reviewer, subtitleTracks } = this.#options;
    demandReviewer(this.#options, request.reviewerId);
    const { proposal, ...proposed } = await this.#proposed(runtimeId, request, body);
    const { source, parent, made } = proposed;
    const bytes = attestedBytes(proposed.bytes, proposal.digest, request.digest);
    const { sessionId } = source.session;
    const attach = () => {
      const derivation: Derivation = { runtimeId, parent, made, attestedBy: reviewer.label };
      return subtitleTracks.attach(sessionId, attachStatements(source, parent, request), bytes, derivation);
    };
    const attached = this.#attachedBefore(sessionId, proposal) ?? (await attach());
    const { schema: _, cues: __, reviewer: ___, digest: ____, attachedAs: _____, ...said } = proposal;
    const { source: row, track } = attached.body;
    return {
      isNew: attached.isNew,
      body: { schema: 'studio.subtitle-fix.v1', ...said, source: row, track, file: attachedFileOf(bytes) },
    };
  }

  /** The track that is the proposed fix already; null if there is none. */
  #attachedBefore(sessionId: string, { attachedAs }: SubtitleFixProposal) {
    const { registry } = this.#options;
    const current = registry.current(sessionId);
    const track = current?.subtitleTracks?.find(({ trackIndex }) => trackIndex === attachedAs);
    if (current === undefined || track === undefined) return null;
    return { isNew: false, body: { source: registry.rowOf(current), track } };
  }

  async #proposed(runtimeId: string, asked: SubtitleFixQuery, body: Uint8Array | null): Promise<Proposed> {
    const { runtimes, reviewer } = this.#options;
    const runtime = await runtimes.read(runtimeId);
    const { windows, range } = speechOfStudy(runtime);
    const source = runtime.source.registered;
    const given = await this.#parent(source, asked, body);
    const opened = await this.#slices.run(openSubtitleFile(given.bytes, given));
    const parent = { ...given, format: opened.format, encoding: opened.encoding };
    const check = await this.#slices.run(checkedBySteps(windows, cuesOfFile(opened), range));
    const stretches = check.stretches.map(recordedStretch);
    const isOff = stretches.some(({ verdict }) => verdict !== 'in_sync' && verdict !== 'unknown');
    const moved = isOff ? await this.#slices.run(resyncedBySteps(parent.bytes, parent, stretches)) : null;
    const bytes = moved === null || moved.moved === 0 ? null : moved.bytes;
    const rules = { alignment: ruleSets.alignment.version };
    const made = { origin: 'resynced', rules, stretches } as const;
    const unknown = stretches.filter(({ verdict }) => verdict === 'unknown');
    const proposed = { source, parent, made: { ...made, stretches: [...stretches] }, bytes };
    const { sessionId: sourceSessionId } = source.session;
    const { parent: ofParent, digest, attachedAs } = offerOf(this.#options, runtimeId, proposed);
    return {
      ...proposed,
      proposal: {
        schema: 'studio.subtitle-fix-proposal.v1',
        runtimeId,
        sourceSessionId,
        range,
        parent: ofParent,
        rules,
        stretches,
        moved: moved?.moved ?? 0,
        early: moved?.early ?? 0,
        unknown: unknown.reduce((sum, { cues }) => sum + cues.to - cues.from + 1, 0),
        cues: opened.cues
          .filter(({ startMs, endMs }) => startMs < endMs)
          .map(({ startMs, endMs }): [number, number] => [startMs, endMs])
          .sort(([one], [other]) => one - other),
        reviewer: { id: reviewer.id, label: reviewer.label, attestation: derivedStatement },
        digest,
        attachedAs,
      },
    };
  }

  /** The subtitles that a request means. Throws `unknown_subtitle_track` and `invalid_subtitle_request`. */
  async #parent(source: RegisteredSource, asked: SubtitleFixQuery, body: Uint8Array | null) {
    const { objectStore, launcher, tools } = this.#options;
    if (asked.track !== undefined) {
      const found = await trackFile({ objectStore, launcher, ffmpeg: tools.ffmpeg }, source, Number(asked.track));
      if (found.format === 'script') throw new Error('a text track is a subtitle file');
      return { ...found, format: found.format };
    }
    if (body === null || asked.label === undefined) {
      throw new ServiceError('invalid_subtitle_request', 'name a track, or send a file and its label');
    }
    const { label, format = null, encoding = null } = asked;
    // A file that is attached is that track: its moved text is taken in its place.
    const { contentId } = contentRefOf(body);
    const track = source.subtitleTracks?.find((each) => each.contentId === contentId)?.trackIndex ?? null;
    return { bytes: body, label, format, encoding, trackIndex: track };
  }
}

/** The speech that a study detected, and its range. Throws `subtitle_sync_unavailable`. */
function speechOfStudy({ accepted, execution }: VerifiedRuntime): {
  readonly windows: readonly Range[];
  readonly range: Range;
} {
  const windows = execution === null ? null : speechIn(execution.study);
  if (windows !== null) return { windows, range: accepted.record.analysisRequest.range };
  throw new ServiceError('subtitle_sync_unavailable', 'no speech of this study is known yet, or the film has no sound');
}

/** The statements under which fixed subtitles are attached: those of a file by the request, those of a track by its source. */
function attachStatements(source: RegisteredSource, parent: ParentText, request: SubtitleFixRequest): Query {
  const { format, encoding, trackIndex } = parent;
  const attached = source.subtitleTracks?.find((track) => track.trackIndex === trackIndex);
  const ofSource =
    source.sourceKind === 'owned_local' ? source.rightsHolder : (source.provider.creator ?? source.provider.externalId);
  const stated = source.trackLanguages.find(({ index }) => index === trackIndex)?.language;
  const isTrack = trackIndex !== null;
  const language = isTrack ? stated : request.language;
  const rightsHolder = isTrack ? (attached?.rights.assertedBy ?? ofSource) : request.rightsHolder;
  const scope = isTrack ? 'local_processing' : request.rightsScope;
  const isAttested = isTrack || request.ownershipAttested === 'true';
  return new Map([
    ...(scope === undefined ? [] : [['rightsScope', scope] as const]),
    ...(isAttested ? [['ownershipAttested', 'true'] as const] : []),
    ...(rightsHolder === undefined ? [] : [['rightsHolder', rightsHolder] as const]),
    ['label', labelOf(parent, ' (moved)')],
    ...(language === undefined ? [] : [['language', language] as const]),
    ['format', format],
    ['encoding', encoding],
  ]);
}
