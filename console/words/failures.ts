import { withTimes } from './numbers.ts';
import { sentence } from './sentence.ts';

/** A failure for people: what happened, what it means, what to do, and its code. */
export interface FailureStory {
  readonly title: string;
  /** The sentence of the host about this case; null if the title says all. */
  readonly detail: string | null;
  readonly meaning: string;
  readonly remedy: string;
  readonly code: string;
}

/** The work that failed: the ingest of a file or of a range of a video, or a study. */
type FailedWork = 'file' | 'video' | 'study';

const meanings: Readonly<Record<FailedWork, string>> = {
  file: 'Nothing was added, and your file is unchanged.',
  video: 'Nothing was added.',
  study: 'What it measured before is kept.',
};

type Story = readonly [title: string, remedy: string];

const again: Readonly<Record<FailedWork, string>> = {
  file: 'Add the file again. If it fails again, look at “This machine” under Operations.',
  video: 'Fetch the range again. If it fails again, look at “This machine” under Operations.',
  study: 'Study it again. If it fails again, look at “This machine” under Operations.',
};

const usual: Readonly<Record<FailedWork, Story>> = {
  file: ['The file could not be added', again.file],
  video: ['The video could not be fetched', again.video],
  study: ['The study failed', again.study],
};

/** Faults of the tools on this machine, which any work can meet. */
const toolFaults: Readonly<Record<string, string>> = {
  tool_missing: 'A tool that the host needs is missing',
  tool_exit: 'A tool of the host stopped with an error',
  tool_signal: 'A tool of the host was stopped by this machine',
  tool_output: 'A tool of the host gave an answer that makes no sense',
  tool_output_invalid: 'A tool of the host gave an answer that makes no sense',
  output_limit: 'A tool of the host gave an answer that is too long',
  launch_failed: 'A tool of the host could not be started',
  storage_fault: 'The host could not write to its disk',
};

const stories: Readonly<Record<string, Story>> = {
  // a file
  upload_failed: ['The upload stopped before the end', 'Add the file again.'],
  media_unreadable: ['The stored file cannot be opened', again.file],
  not_media: ['This is not a film or a recording', 'Choose a video or an audio file.'],
  format_not_allowed: ['This format cannot be added', 'Convert the file to MP4, MKV or WAV, and add that.'],
  container_damaged: ['The file is damaged or incomplete', 'Copy or download it again, and add that.'],
  too_many_streams: ['The file has too many tracks', 'Export it with the tracks that matter.'],
  no_playable_track: ['The file has no picture and no sound that plays', 'Export it with a video or audio track.'],
  dimensions_too_large: ['The picture is too large', 'Export it with at most 8,192 × 8,192 pixels.'],
  seal_failed: [
    'The host could not store the file',
    'Look at the free space under Operations, and add the file again.',
  ],
  registration_failed: ['The stored file does not verify', again.file],
  // a video
  extractor_not_allowed: [
    'This host fetches nothing from that site',
    'Use another address, or download and add the file.',
  ],
  live_stream: ['This is a live stream', 'Wait until it is over and stored as a video.'],
  login_required: ['This video needs a login', 'Download it yourself, and add the file.'],
  not_one_video: ['The address does not lead to one video', 'Give the address of a single video.'],
  no_media: ['The video has nothing that can be fetched', 'Use another address, or download and add the file.'],
  range_past_end: ['The video ends before the range does', 'Choose a range within the video.'],
  extraction_failed: ['The site’s answer could not be read', 'Check the address. A newer yt-dlp may read it.'],
  address_refused: ['The download led to an address that is not allowed', 'Use the public address of the video.'],
  host_unreachable: ['The site did not answer', 'Check the address and your connection, and fetch it again.'],
  host_refused: ['The site refused the download', 'Check that the video is still there, and fetch it again.'],
  another_video: ['The site sent another video', 'Fetch the range again.'],
  too_many_bytes: ['The range is too large', 'Choose a shorter range.'],
  // both, and studies
  duration_unknown: ['Its length cannot be found', 'Convert it with: ffmpeg -i FILE -c copy NEW-FILE'],
  deadline: ['It took too long', 'Try again with a shorter range, or when this machine has less to do.'],
  canceled: ['Canceled', 'Start again whenever you like.'],
  executor_interrupted: ['The study was interrupted', 'Study it again; a shorter range needs less memory.'],
  stored_content_inconsistent: [
    'Stored files are missing or damaged',
    'Restore them from a backup, or add the media again.',
  ],
};

/** The longest first word of a message that is a code. */
const leading = /^([a-z][a-z_]+): (.*)$/s;

/**
 * The story of a failure. The host writes `word: what happened; what to do`, and may leave out the word or the remedy.
 * `docs/errors.md` lists the words. The sentences of the host replace those of this page.
 */
export function failureStory(
  { code, message }: { readonly code: string; readonly message: string },
  of: FailedWork,
): FailureStory {
  const [, word = null, rest = message] = leading.exec(message) ?? [];
  const known = word ?? code;
  const tool = toolFaults[known];
  const [title, remedy] = tool === undefined ? (stories[known] ?? stories[code] ?? usual[of]) : [tool, again[of]];
  const [detail = '', ...remedies] = rest.split('; ');
  return {
    title,
    detail: detail === '' || known === 'canceled' ? null : `${sentence(withTimes(detail))}.`,
    meaning: meanings[of],
    remedy: remedies.length === 0 ? remedy : `${sentence(withTimes(remedies.join('; ')))}.`,
    code: word === null ? code : `${code}, ${word}`,
  };
}
