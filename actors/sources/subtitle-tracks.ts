import type { Clock } from '../../contract/base/clock.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { requestFault, requestWords } from '../../contract/base/request-fault.ts';
import {
  type AttachedSubtitleTrack,
  type SubtitleTrackRequest,
  type SubtitleTrackList as SubtitleTracksAnswer,
  subtitleTrackRequest,
} from '../../contract/sources/source-session.ts';
import {
  type DerivedOrigin,
  maximumTextTracks,
  type SealedSubtitleTrack,
} from '../../contract/sources/subtitle-track.ts';
import { cueTextOf } from '../../executors/evidence/cue-text.ts';
import { type Cue, readSubtitleTracks } from '../../executors/evidence/subtitle-tracks.ts';
import { type Launcher, ProcessFailure, type ProcessFailureCause } from '../../executors/process/process.ts';
import type { ResolvedTool } from '../../executors/process/tools.ts';
import { subtitleInput } from '../../executors/sources/media-input.ts';
import { canonicalJson } from '../../formats/canonical-json.ts';
import {
  faultyLine,
  measuredCues,
  openSubtitleFile,
  type SubtitleFile,
  type WrittenCue,
} from '../../formats/subtitles.ts';
import { DetectionFailure } from '../../kinds/detection-failure.ts';
import { type Derivation, derivedRecordBytes, derivedRecordOf } from '../../receipts/sources/derived-subtitles.ts';
import { contentRefOf } from '../../receipts/sources/sealed-record.ts';
import { codecOf, sealedSubtitleOf, subtitlesOf, subtitleTrackOf } from '../../receipts/sources/subtitle-track.ts';
import { baseLanguage } from '../../rules/languages.ts';
import type { KeyedMutex } from '../../storage/keyed-mutex.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import { requireSpace } from './required-space.ts';
import { SubtitleRevisions, type SubtitleRevisionsOptions } from './subtitle-revisions.ts';

/** Far above what a file of the largest size holds: all of it is read. */
const limits = { maxTrackCues: 200_000, maxTrackBytes: 64 * 1024 * 1024 };
const name = 'subtitles';
/** No file can write a later time. */
const allTime = { startMs: 0, endMs: 10_000 * 60 * 60 * 1000 };

/** These say something of the file; the others of the machine. */
const ofTheFile: readonly ProcessFailureCause[] = ['tool_exit', 'tool_signal', 'output_limit'];

/**
 * Reads a subtitle file with ffmpeg as a study will, and compares each cue with the file: ffmpeg silently drops cues that it
 * cannot place. Throws `invalid_subtitle_file` at the first cue that differs.
 */
export async function demandReadable(
  deps: { readonly launcher: Launcher; readonly ffmpeg: ResolvedTool },
  file: SubtitleFile,
  signal: AbortSignal,
): Promise<void> {
  const codec = codecOf(file.format);
  const read = await readAll(deps, file, codec, signal);
  const slices = new TimeSlices();
  // ffmpeg reads equal cues as one.
  const found = new Set<string>();
  for (const cue of read) {
    await slices.pause();
    found.add(wordsOf(cue));
  }
  const unseen = new Set(found);
  for (const cue of file.cues) {
    await slices.pause();
    const shown = shownCue(codec, cue);
    if (shown === null) continue;
    const name = wordsOf(shown);
    if (!found.has(name)) throw faultyLine(cue.line, 'ffmpeg reads this cue differently from the file');
    unseen.delete(name);
  }
  if (unseen.size > 0) throw new ServiceError('invalid_subtitle_file', 'ffmpeg reads cues that the file does not hold');
}

/** A cue by its times and its words: a scanned event of ASS lacks its layer. */
const wordsOf = ({ startMs, endMs, text, reasonCode }: Cue): string =>
  canonicalJson({ startMs, endMs, text, reasonCode });

/** A cue as ffmpeg would show it; null for one that is never seen. */
function shownCue(codec: string, { startMs, endMs, text }: WrittenCue): Cue | null {
  // ffmpeg puts the order of reading and the layer before the fields of an ASS event.
  const packet = Buffer.from(codec === 'ass' ? `0,0,${text}` : text, 'utf8');
  const shown = cueTextOf(codec, packet);
  return startMs === endMs || shown.text === '' ? null : { startMs, endMs, ...shown };
}

async function readAll(
  deps: { readonly launcher: Launcher; readonly ffmpeg: ResolvedTool },
  { format, text }: SubtitleFile,
  codec: string,
  signal: AbortSignal,
): Promise<readonly Cue[]> {
  try {
    const [track] = await readSubtitleTracks(deps, {
      input: subtitleInput(`file:${name}`, format),
      tracks: [{ index: 0, codec }],
      files: [{ name, bytes: text }],
      range: allTime,
      signal,
      limits,
      statesEnds: true,
      isStyled: false,
    });
    return track?.cues ?? [];
  } catch (error) {
    const isOfTheFile =
      error instanceof DetectionFailure || (error instanceof ProcessFailure && ofTheFile.includes(error.reason));
    if (!isOfTheFile) throw error;
    throw new ServiceError('invalid_subtitle_file', `ffmpeg does not read the file (${error.message})`);
  }
}

interface SubtitleTracksOptions extends SubtitleRevisionsOptions {
  /** Shared with deletions: of one source one thing changes at a time. */
  readonly mutex: KeyedMutex;
  readonly launcher: Launcher;
  readonly ffmpeg: ResolvedTool;
  readonly clock: Pick<Clock, 'now'>;
}

/** The attached track, and true if this call attached it. */
interface Attachment {
  readonly isNew: boolean;
  readonly body: AttachedSubtitleTrack;
}

/** A track that was attached before holds the same file and says the same of it. */
type Said = Pick<SealedSubtitleTrack, 'label' | 'format' | 'encoding' | 'content_id'> & {
  readonly language: string | null;
  readonly rightsHolder: string;
  /** Null for a file that the program did not make. */
  readonly origin: DerivedOrigin | null;
  readonly parentId: string | null;
};

/** The service behind the subtitle files of a source: each change of them is a new revision, sealed as the first one was. */
export class SubtitleTracks {
  readonly #options: SubtitleTracksOptions;
  readonly #revisions: SubtitleRevisions;
  readonly #slices = new TimeSlices();

  constructor(options: SubtitleTracksOptions) {
    this.#options = options;
    this.#revisions = new SubtitleRevisions(options);
  }

  /** The files that are attached to the current revision. Throws `unknown_source_session`, `source_deleted`. */
  list(sessionId: string): SubtitleTracksAnswer {
    const { session, subtitleTracks = [] } = this.#revisions.current(sessionId);
    return {
      schema: 'studio.subtitle-tracks.v1',
      sourceSessionId: session.sessionId,
      sourceRevisionId: session.revisionId,
      subtitleTracks,
    };
  }

  /**
   * Attaches a file under the statements of the query; resolves when the new revision is on disk. A file that is attached already
   * with the same statements stays as it is. A `derivation` says of which text the program made the file, and is recorded with it.
   * Throws `unknown_source_session`, `source_deleted`, `source_read_in_place`,
   * `invalid_rights_attestation`, `invalid_subtitle_request` and the codes of `openSubtitleFile`. Further `subtitle_track_limit`,
   * `insufficient_storage`, `storage_unavailable` and `source_revalidation_failed`.
   */
  async attach(
    sessionId: string,
    query: ReadonlyMap<string, string>,
    bytes: Uint8Array,
    derivation: Derivation | null = null,
  ): Promise<Attachment> {
    const { objectStore, mutex, launcher, ffmpeg } = this.#options;
    const request = checkedRequest(query);
    this.#revisions.changeable(sessionId);
    const language = request.language === undefined ? null : baseLanguage(request.language);
    const said = { format: request.format ?? null, encoding: request.encoding ?? null, language };
    const file = await this.#slices.run(openSubtitleFile(bytes, said));
    await requireSpace(objectStore, bytes.length + file.text.length);
    await mutex.take('subtitle-check', () => demandReadable({ launcher, ffmpeg }, file, new AbortController().signal));
    return mutex.take(sessionId, () => this.#attached(sessionId, request, bytes, file, derivation));
  }

  /**
   * Takes a file off a source; resolves with the files that are left when that is on disk. Runtimes over the revision that had it
   * keep it. Throws as `attach`, and `unknown_subtitle_track`.
   */
  detach(sessionId: string, trackIndex: string): Promise<SubtitleTracksAnswer> {
    return this.#options.mutex.take(sessionId, async () => {
      await this.#revisions.change(sessionId, (tracks) => {
        const left = tracks.filter(({ track_index: index }) => String(index) !== trackIndex);
        if (left.length === tracks.length) {
          throw new ServiceError('unknown_subtitle_track', 'no subtitle file is attached under this index');
        }
        return { tracks: left, files: [] };
      });
      return this.list(sessionId);
    });
  }

  async #attached(
    sessionId: string,
    request: SubtitleTrackRequest,
    bytes: Uint8Array,
    file: SubtitleFile,
    derivation: Derivation | null,
  ): Promise<Attachment> {
    const { label, language = null, rightsHolder } = request;
    const { format, encoding } = file;
    const ref = contentRefOf(bytes);
    const origin = derivation?.made.origin ?? null;
    const parentId = derivation === null ? null : contentRefOf(derivation.parent.bytes).contentId;
    const said: Said = { label, language, rightsHolder, format, encoding, content_id: ref.contentId, origin, parentId };
    let isNew = false;
    const source = await this.#revisions.change(sessionId, (tracks, current) => {
      isNew = !tracks.some((track) => isSaid(track, said));
      if (!isNew) return null;
      if (current.tracks.filter(({ kind }) => kind === 'subtitle').length >= maximumTextTracks) {
        throw new ServiceError('subtitle_track_limit', `a source has at most ${maximumTextTracks} text tracks`);
      }
      const assertedAt = new Date(this.#options.clock.now()).toISOString();
      const made = derivation === null ? null : madeOf(derivation, { ...ref, format, encoding }, assertedAt);
      const attached = sealedSubtitleOf({
        label,
        language,
        rightsHolder,
        format,
        encoding,
        trackIndex: Math.max(...current.tracks.map(({ index }) => index)) + 1,
        file: ref,
        text: contentRefOf(file.text),
        measured: measuredCues(file.cues, current.session.source.durationMs),
        notes: file.notes,
        assertedAt,
        ...(made !== null && { derived: made.derived }),
      });
      return { tracks: [...tracks, attached], files: [bytes, file.text, ...(made?.files ?? [])] };
    });
    const sealed = subtitlesOf(source.receipt).find((track) => isSaid(track, said));
    if (sealed === undefined) throw new Error('the receipt names the file that was attached');
    return {
      isNew,
      body: {
        schema: 'studio.attached-subtitle-track.v1',
        source: this.#options.registry.rowOf(source.registered),
        track: subtitleTrackOf(sealed),
      },
    };
  }
}

/** The origin of a track that the program made, as its receipt names it, and the two files behind it. */
function madeOf(derivation: Derivation, result: Parameters<typeof derivedRecordOf>[1], attestedAt: string) {
  const { parent, made } = derivation;
  const record = derivedRecordBytes(derivedRecordOf(derivation, result, attestedAt));
  return {
    derived: {
      origin: made.origin,
      parent: {
        ...contentRefOf(parent.bytes),
        format: parent.format,
        label: parent.label,
        trackIndex: parent.trackIndex,
      },
      record: contentRefOf(record),
    },
    files: [parent.bytes, record],
  };
}

const isSaid = (track: SealedSubtitleTrack, said: Said): boolean =>
  track.content_id === said.content_id &&
  track.label === said.label &&
  (track.language ?? null) === said.language &&
  track.format === said.format &&
  track.encoding === said.encoding &&
  track.rights.asserted_by === said.rightsHolder &&
  (track.derived?.origin ?? null) === said.origin &&
  (track.derived?.parent.content_id ?? null) === said.parentId;

function checkedRequest(query: ReadonlyMap<string, string>): SubtitleTrackRequest {
  const given = Object.fromEntries(query);
  const request = subtitleTrackRequest.safeParse(given, requestWords);
  if (request.success) return request.data;
  const places = request.error.issues.map(({ path }) => path.join('.'));
  if (places.includes('rightsScope') || places.includes('ownershipAttested')) {
    throw new ServiceError(
      'invalid_rights_attestation',
      'rightsScope must be local_processing and ownershipAttested must be true',
    );
  }
  const fault = requestFault(subtitleTrackRequest, given, request.error.issues[0]);
  throw new ServiceError('invalid_subtitle_request', fault);
}
