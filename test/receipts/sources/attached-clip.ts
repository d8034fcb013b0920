import type { SealedSubtitleTrack } from '../../../contract/sources/subtitle-track.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { measuredCues, openSubtitleFile } from '../../../formats/subtitles.ts';
import { sealOwnedIngest } from '../../../receipts/sources/seal-source.ts';
import { contentRefOf } from '../../../receipts/sources/sealed-record.ts';
import { sealedSubtitleOf } from '../../../receipts/sources/subtitle-track.ts';
import type { SealedChain } from '../../../receipts/sources/verify-source.ts';
import { clipIngest } from './sealed-clip.ts';

const bytes = Buffer.from('\uFEFF1\n00:00:01,000 --> 00:00:02,000\nHello\n', 'utf8');
const file = resultOfSteps(openSubtitleFile(bytes, { format: null, encoding: null }));

/** A subtitle file as in a receipt of the clip. It has a byte order mark, so that its text is a file of its own. */
export const attachedTrack = (trackIndex: number, language: string | null = 'en'): SealedSubtitleTrack =>
  sealedSubtitleOf({
    trackIndex,
    label: 'Lines',
    language,
    format: file.format,
    encoding: file.encoding,
    file: contentRefOf(bytes),
    text: contentRefOf(file.text),
    measured: measuredCues(file.cues, 4000),
    notes: file.notes,
    rightsHolder: 'Me',
    assertedAt: '2026-01-02T03:04:05.678Z',
  });

/** The clip without attached files, and the bytes of the file by their content: as it came, then its text. */
export const attachedClip = (): { readonly chain: SealedChain; readonly files: ReadonlyMap<string, Uint8Array> } => ({
  chain: sealOwnedIngest({ ...clipIngest, pinned: null }).chain,
  files: new Map([bytes, file.text].map((each) => [contentRefOf(each).contentId, each])),
});
