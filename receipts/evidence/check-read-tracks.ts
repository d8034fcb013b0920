import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import type { DeliveredEvidence, DeliveredPass } from './delivered-pass.ts';

type Source = Pick<RegisteredSource, 'tracks' | 'trackLanguages' | 'subtitleTracks'>;
type Reads = Pick<DeliveredPass, 'operation' | 'evidence'> & { readonly source: Source };

/** Codecs of text that every version reads. Of tracks of other codecs the first version said nothing. */
const readCodecs: readonly string[] = ['mov_text', 'subrip', 'srt', 'ass', 'ssa', 'webvtt', 'text'];

const unreadReasons: readonly string[] = ['subtitle_format_unsupported', 'subtitle_limit_exceeded'];

const fault = (place: string): EvidenceChainError => new EvidenceChainError('media_operation', place);

const textTracksOf = ({ tracks }: Source) => tracks.filter(({ kind }) => kind === 'subtitle');

const languageOf = ({ trackLanguages }: Source, index: number): string | null =>
  trackLanguages.find((stated) => stated.index === index)?.language ?? null;

/** All text tracks of a source, as an operation states them. */
function statedTracks(source: Source): string {
  const named = textTracksOf(source).map(({ index, codec }) => {
    const attached = source.subtitleTracks?.find(({ trackIndex }) => trackIndex === index)?.text.contentId;
    return [index, codec, languageOf(source, index) ?? '', ...(attached === undefined ? [] : [attached])].join(':');
  });
  return named.join(',');
}

const trackOf = ({ delivered, artifact }: DeliveredEvidence): number | null | undefined =>
  delivered.state === 'unavailable' ? delivered.trackIndex : artifact?.input.trackIndex;

/** Whether nothing was delivered but that there is no text. */
const isTextless = (evidence: Reads['evidence']): boolean =>
  evidence.length === 2 &&
  evidence.every(
    ({ delivered }) =>
      delivered.reasonCode === 'no_text_subtitle_track' && trackOf({ delivered, artifact: null }) === undefined,
  );

/** Each track was read, or there is a reason of its own why not. */
function checkTracks(source: Source, cues: readonly DeliveredEvidence[]): void {
  const tracks = textTracksOf(source);
  const found = cues.map(trackOf);
  const known = tracks.filter(({ index, codec }) => readCodecs.includes(codec) || found.includes(index));
  demandDerived('media_operation', { tracks: found }, { tracks: known.map(({ index }) => index) });
  for (const [at, { delivered }] of cues.entries()) {
    if (delivered.state === 'available') continue;
    const isRead = readCodecs.includes(known[at]?.codec ?? '');
    const isReason = unreadReasons.includes(delivered.reasonCode);
    if (!isReason || (isRead && delivered.reasonCode === 'subtitle_format_unsupported')) {
      throw fault(`receipt.evidence[${at}].reasonCode`);
    }
  }
}

/** The language of a track is of the cues that were read of it, and names the tag that its container has. */
function checkLanguage(source: Source, cues: DeliveredEvidence, { delivered, artifact }: DeliveredEvidence): void {
  if (artifact === null) return;
  const [fact] = artifact.facts;
  const place = (name: string): EvidenceChainError =>
    new EvidenceChainError('evidence', name, undefined, delivered.contentId);
  if (artifact.facts.length !== 1 || fact?.kind !== 'track_language') throw place('facts');
  const { trackIndex, taggedLanguage, cueCodes, code, method } = fact;
  if (trackIndex !== artifact.input.trackIndex) throw place('facts[0].trackIndex');
  if ((method === 'none') !== (code === null)) throw place('facts[0].method');
  if (taggedLanguage !== languageOf(source, trackIndex)) throw place('facts[0].taggedLanguage');
  const read = (cues.artifact?.facts ?? []).filter(({ kind }) => kind === 'subtitle_cue');
  if (cueCodes.length !== read.length) throw place('facts[0].cueCodes');
}

/**
 * Checks that every text track of a source was read, first its cues and then its language, in the order of the tracks. Throws
 * `EvidenceChainError`.
 */
export function checkReadTracks({ source, operation, evidence }: Reads): void {
  const { tracks } = operation.parameters;
  demandDerived('media_operation', { parameters: { tracks } }, { parameters: { tracks: statedTracks(source) } });
  const half = Math.ceil(evidence.length / 2);
  const kinds = evidence.map((_, at) => ({ kind: at < half ? 'subtitle_track' : 'text_language' }));
  demandDerived(
    'media_operation',
    { receipt: { evidence: evidence.map(({ delivered }) => ({ kind: delivered.kind })) } },
    { receipt: { evidence: kinds } },
  );
  const [cues, languages] = isTextless(evidence) ? [[], []] : [evidence.slice(0, half), evidence.slice(half)];
  checkTracks(source, cues);
  for (const [at, each] of languages.entries()) {
    const read = cues[at];
    const isSame =
      read !== undefined && trackOf(read) === trackOf(each) && read.delivered.reasonCode === each.delivered.reasonCode;
    if (read === undefined || !isSame) throw fault(`receipt.evidence[${half + at}]`);
    checkLanguage(source, read, each);
  }
}
