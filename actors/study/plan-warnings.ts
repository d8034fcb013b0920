import type { Range } from '../../contract/base/grammar.ts';
import { isTextCause, type PlannedCause, type WarningCause } from '../../contract/causes/causes.ts';
import { plainSpelling, wireText } from '../../contract/causes/wording.ts';
import { languageRanges } from '../../contract/sources/languages.ts';
import type { IncompleteMedia, MediaProbe } from '../../contract/sources/media-probe.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { RuntimeRequest } from '../../contract/study/plan.ts';
import type { PlanWarningList as Answer, CaptionObstacle, PlanWarning } from '../../contract/study/start.ts';
import { timeCode } from '../../formats/readable-numbers.ts';
import { isUnserved, unrecognizedBy } from '../../receipts/captions/methods.ts';
import {
  type CaptionAbility,
  lacksText,
  type PlannedFilm,
  plannedFilmOf,
  plannedObstaclesOf,
} from '../../receipts/captions/prospect.ts';
import { samplesPerMs } from '../../receipts/evidence/readable-evidence.ts';
import { readSealedRecord } from '../../receipts/sources/sealed-record.ts';
import { baseLanguage, isAmong } from '../../rules/languages.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import type { CaptionMethods } from '../captions/caption-methods.ts';
import type { EngineRegistry } from '../engines/engine-registry.ts';
import { playbackMimeTypeOf } from '../playback/private-playback.ts';
import { readSourceFile } from '../sources/source-files.ts';
import { readMediaProbe } from '../sources/source-records.ts';
import type { PictureCaptions } from './picture-captions.ts';
import type { StudyService } from './studies.ts';

/** Warns of the work of a part of the host that a study begins. */
export type WarnOfWork = (request: RuntimeRequest, source: RegisteredSource) => Promise<readonly PlanWarning[]>;

interface PlanWarningsOptions {
  readonly studies: Pick<StudyService, 'planned' | 'isKnown'>;
  readonly objectStore: ObjectStore;
  readonly captions: CaptionAbility;
  readonly captionMethods: Pick<CaptionMethods, 'planned'>;
  readonly engines: Pick<EngineRegistry, 'choices'>;
  readonly pictureCaptions: Pick<PictureCaptions, 'in'>;
  /** The warnings of the features of the host. */
  readonly further: readonly WarnOfWork[];
}

/** The codecs that the pages of all present browsers play, by the names of ffmpeg. */
const playableCodecs: ReadonlySet<string> = new Set([
  ...['h264', 'vp8', 'vp9', 'av1'],
  ...['aac', 'mp3', 'opus', 'vorbis', 'flac', 'pcm_s16le', 'pcm_u8'],
]);

/**
 * The service behind warnings at plan time. It reads what the source brought along. If that has no text for captions, it looks for
 * closed captions in the pictures, once for each film.
 */
export class PlanWarnings {
  readonly #options: PlanWarningsOptions;

  constructor(options: PlanWarningsOptions) {
    this.#options = options;
  }

  /** Throws what a plan of the request throws. */
  async of(request: RuntimeRequest): Promise<Answer> {
    const { studies, objectStore, captionMethods } = this.#options;
    const { source, plan } = await studies.planned(request);
    const { runtimeId } = plan;
    const probe = await readMediaProbe(objectStore, source);
    const film = await this.#filmOf(source, request);
    const warnings = [
      ...trackWarnings(source),
      ...languageWarnings(request, await this.#languagesOf(source, request.range)),
      ...captionWarnings(request, film, this.#options),
      ...playbackWarnings(source, probe),
      ...(studies.isKnown(runtimeId) ? [] : await this.#ofWork(request, source)),
    ];
    const methods = captionMethods.planned(film);
    return { schema: 'studio.runtime-plan-warnings.v1', runtimeId, warnings, captionMethods: methods };
  }

  async #filmOf(source: RegisteredSource, request: RuntimeRequest): Promise<PlannedFilm> {
    const film = plannedFilmOf(source, request);
    if (request.outputDepth !== 'captions' || !lacksText(film)) return film;
    return { ...film, hasCaptionsInPicture: await this.#options.pictureCaptions.in(source, request.range) };
  }

  /** The warnings of work ahead: a start of a study that exists repeats none of its work. */
  async #ofWork(request: RuntimeRequest, source: RegisteredSource): Promise<PlanWarning[]> {
    const further = await Promise.all(this.#options.further.map((warn) => warn(request, source)));
    return further.flat();
  }

  /** The spoken languages that are known of a range: those that a detector found, else those that the container states. */
  async #languagesOf(source: RegisteredSource, range: Range): Promise<KnownLanguages> {
    const pinned = source.pinnedEvidence.find(({ kind }) => kind === 'language-ranges-receipt');
    if (pinned !== undefined) {
      const bytes = await readSourceFile(this.#options.objectStore, source, pinned.contentId);
      const found = readSealedRecord(languageRanges, bytes, 'language-ranges')
        .ranges.filter(
          ({ start_sample: start, end_sample: end }) =>
            start < range.endMs * samplesPerMs && end > range.startMs * samplesPerMs,
        )
        .flatMap(({ decision }) => (decision.status === 'classified' ? [decision.code] : []));
      if (found.length > 0) return { basis: 'detected', languages: [...new Set(found)] };
    }
    const audio = new Set(source.tracks.filter(({ kind }) => kind === 'audio').map(({ index }) => index));
    const stated = source.trackLanguages.filter(({ index }) => audio.has(index)).map(({ language }) => language);
    return { basis: 'container', languages: [...new Set(stated)] };
  }
}

/** The spelling of warnings: times as people read them. */
const spelling = { ...plainSpelling, length: timeCode };

/** A cause, and its words as a warning has them. */
export const warningWords = (cause: WarningCause) => ({ text: wireText(cause, spelling), cause });

interface KnownLanguages {
  readonly basis: 'detected' | 'container';
  readonly languages: string[];
}

const lengthParams = ({ statedMs, measuredMs }: IncompleteMedia) =>
  statedMs !== null && statedMs < measuredMs ? { longer: { statedMs, heldMs: measuredMs } } : {};

function trackWarnings({ tracks, incompleteMedia }: RegisteredSource): PlanWarning[] {
  const has = (kind: string): boolean => tracks.some((track) => track.kind === kind);
  return [
    ...(has('audio')
      ? []
      : [
          {
            code: 'no_audio_track',
            text: 'the source has no audio track: nothing about sound or speech will be found',
            cause: { code: 'no_audio_track', params: {} },
          } as const,
        ]),
    ...(has('video')
      ? []
      : [
          {
            code: 'no_video_track',
            text: 'the source has no video track: no cuts will be found',
            cause: { code: 'no_video_track', params: {} },
          } as const,
        ]),
    ...(incompleteMedia === undefined
      ? []
      : [
          {
            code: 'media_incomplete',
            ...warningWords({ code: 'media_incomplete', params: lengthParams(incompleteMedia) }),
          } as const,
        ]),
  ];
}

function languageWarnings(request: RuntimeRequest, { basis, languages }: KnownLanguages): PlanWarning[] {
  const declared = request.requestedSourceLanguage.languages;
  // Undetermined and multiple languages contradict nothing, and neither does an invalid tag.
  const found = languages.filter((tag) => baseLanguage(tag) !== null);
  if (declared.length === 0 || found.length === 0) return [];
  // Containers state `eng` where requests declare `en`.
  if (found.some((tag) => isAmong(tag, declared))) return [];
  const params = { declared: [...declared], found, basis };
  return [
    { code: 'declared_language_differs', ...warningWords({ code: 'declared_language_differs', params }), ...params },
  ];
}

/** Clients know a closed set of reasons. The cause tells more: why the host recognizes nothing, or why subtitles have no text. */
function reasonOf(cause: PlannedCause): CaptionObstacle {
  if (cause.code === 'recognition_not_asked' || cause.code === 'language_not_recognised') return 'no_recognizer';
  if (cause.code === 'subtitles_in_other_script') return 'no_text_track_in_language';
  return isTextCause(cause) ? 'no_text_tracks' : cause.code;
}

function captionWarnings(
  request: RuntimeRequest,
  film: PlannedFilm,
  { captions, engines }: Pick<PlanWarningsOptions, 'captions' | 'engines'>,
): PlanWarning[] {
  if (request.outputDepth !== 'captions') return [];
  const isLanguageUnserved = isUnserved(engines.choices, film.requested);
  const unrecognized =
    unrecognizedBy(engines.choices, request, film) ?? (isLanguageUnserved ? 'language_not_recognised' : null);
  return plannedObstaclesOf({ ...film, unrecognized }, captions).map(({ cause, text }) => ({
    code: 'captions_not_possible',
    reason: reasonOf(cause),
    text,
    cause,
  }));
}

function playbackWarnings({ tracks }: RegisteredSource, probe: MediaProbe): PlanWarning[] {
  const audioOrVideo = tracks.filter(({ kind }) => kind === 'audio' || kind === 'video');
  const codecs = [...new Set(audioOrVideo.map(({ codec }) => codec).filter((codec) => !playableCodecs.has(codec)))];
  if (playbackMimeTypeOf(probe) !== null && codecs.length === 0) return [];
  const params = { codecs, container: [...probe.container] };
  return [{ code: 'codec_may_not_play', ...warningWords({ code: 'codec_may_not_play', params }), codecs }];
}
