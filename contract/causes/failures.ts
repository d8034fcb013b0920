/** The work that failed: the ingest of a file or of a range of a video, or a study. */
export type FailedWork = 'file' | 'video' | 'study';

/** Faults of external processes, which any work can meet. */
export const processFailures = [
  'aborted',
  'deadline',
  'launch_failed',
  'tool_missing',
  'tool_exit',
  'tool_signal',
  'output_limit',
] as const;

/** Why a model behind a server gave no answer that can be used, beside `http_` and the three digits of a refusal. */
export const modelFailures = [
  'timeout',
  'unreachable',
  'redirected',
  'refused',
  'invalid_output',
  'too_large',
  'key_in_answer',
] as const;

/** Faults of media that the host refuses or cannot measure. */
export const probeFailures = [
  'media_unreadable',
  'not_media',
  'format_not_allowed',
  'container_damaged',
  'too_many_streams',
  'no_playable_track',
  'dimensions_too_large',
  'duration_unknown',
  'tool_output_invalid',
] as const;

/**
 * Faults of a range of a video:
 * - `extractor_not_allowed`: `generic` for anything but the open origin or in the machine's network, or an unknown extractor.
 * - `live_stream`: is, was just now, or will be live.
 * - `login_required`: age, membership, payment or privacy blocks it.
 * - `not_one_video`: the URL names a list or has no video.
 * - `no_media`: a video without a format that can be downloaded, or only protected ones.
 * - `duration_unknown`: neither stated nor measurable.
 * - `extraction_failed`: the extractor could make nothing of the answers: gone, unsupported, or changed since the tool's day.
 * - `address_refused`: something led to an address that is not public, or to another protocol.
 * - `host_unreachable`: no address, no connection, or an answer that broke off.
 * - `host_refused`: the host answered with an HTTP status of 400 or more.
 * - `tool_output`: exit code 0, and an output that cannot be read.
 * - `another_video`: the download met another video than was resolved.
 * - `too_many_bytes`: more than was allowed.
 * - `no_file`, `several_files`: exit code 0 without exactly one finished file in the folder.
 */
export const videoFailures = [
  'extractor_not_allowed',
  'live_stream',
  'login_required',
  'not_one_video',
  'no_media',
  'duration_unknown',
  'extraction_failed',
  'address_refused',
  'host_unreachable',
  'host_refused',
  'tool_output',
  'another_video',
  'too_many_bytes',
  'no_file',
  'several_files',
] as const;

/** The event, and the remedy; without one the same work is tried again. */
type Row = string | readonly [what: string, remedy: string];

const nonsense = 'a tool of the host gave an answer that makes no sense';
const unfetched = 'the video could not be fetched';

/** Every failure of an ingest or a study in words for a person: each one clause, without capital or full stop. */
export const failureTexts = {
  // any work
  aborted: 'something stopped the work before its end',
  deadline: ['it took too long', 'try again with a shorter range, or when this machine has less to do'],
  launch_failed: 'a tool of the host could not be started',
  tool_missing: 'a tool that the host needs is missing',
  tool_exit: 'a tool of the host stopped with an error',
  tool_signal: 'a tool of the host was stopped by this machine',
  tool_output: nonsense,
  tool_output_invalid: nonsense,
  output_limit: 'a tool of the host gave an answer that is too long',
  storage_fault: 'the host could not write to its disk',
  canceled: ['canceled', 'start again whenever you like'],
  // a file
  upload_failed: ['the upload stopped before the end', 'add the file again'],
  media_unreadable: 'the stored file cannot be opened',
  not_media: ['this is not a film or a recording', 'choose a video or an audio file'],
  format_not_allowed: ['this format cannot be added', 'convert the file to MP4, MKV or WAV, and add that'],
  container_damaged: ['the file is damaged or incomplete', 'copy or download it again, and add that'],
  too_many_streams: ['the file has too many tracks', 'export it with the tracks that matter'],
  no_playable_track: ['the file has no picture and no sound that plays', 'export it with a video or audio track'],
  dimensions_too_large: ['the picture is too large', 'export it with at most 8,192 × 8,192 pixels'],
  duration_unknown: ['its length cannot be found', 'convert it with: ffmpeg -i FILE -c copy NEW-FILE'],
  probe_failed: 'the media could not be measured',
  seal_failed: ['the host could not store the file', 'look at the free space under Operations, and add the file again'],
  registration_failed: 'the stored file does not verify',
  // a video
  extractor_not_allowed: [
    'this host fetches nothing from that site',
    'use another address, or download and add the file',
  ],
  live_stream: ['this is a live stream', 'wait until it is over and stored as a video'],
  login_required: ['this video needs a login', 'download it yourself, and add the file'],
  not_one_video: ['the address does not lead to one video', 'give the address of a single video'],
  no_media: ['the video has nothing that can be fetched', 'use another address, or download and add the file'],
  range_past_end: ['the video ends before the range does', 'choose a range within the video'],
  extraction_failed: ['the site’s answer could not be read', 'check the address; a newer yt-dlp may read it'],
  address_refused: ['the download led to an address that is not allowed', 'use the public address of the video'],
  host_unreachable: ['the site did not answer', 'check the address and your connection, and fetch it again'],
  host_refused: ['the site refused the download', 'check that the video is still there, and fetch it again'],
  another_video: ['the site sent another video', 'fetch the range again'],
  too_many_bytes: ['the range is too large', 'choose a shorter range'],
  no_file: nonsense,
  several_files: nonsense,
  resolution_failed: unfetched,
  download_failed: unfetched,
  // a study
  initialization_failed: 'the study could not begin',
  executor_failed: 'the study failed',
  executor_interrupted: ['the study was interrupted', 'study it again; a shorter range needs less memory'],
  stored_content_inconsistent: [
    'stored files are missing or damaged',
    'restore them from a backup, or add the media again',
  ],
  /** Of a version that this one does not know. */
  other_failure: 'it failed',
} as const satisfies Readonly<Record<string, Row>>;

export type FailureCode = keyof typeof failureTexts;

/** The titles of failures without a known cause. */
export const otherFailures: Readonly<Record<FailedWork, string>> = {
  file: 'the file could not be added',
  video: unfetched,
  study: 'the study failed',
};

export const isFailure = (code: string): code is FailureCode => Object.hasOwn(failureTexts, code);

/** The causes of an ingest that fails, and of a study. */
export const ingestFailures = [
  ...['upload_failed', 'resolution_failed', 'download_failed', 'probe_failed', 'seal_failed', 'registration_failed'],
  ...['canceled', 'range_past_end', 'storage_fault', 'other_failure'],
  ...processFailures,
  ...probeFailures,
  ...videoFailures,
] as readonly FailureCode[];

export const studyFailures = [
  ...['initialization_failed', 'executor_failed', 'executor_interrupted', 'stored_content_inconsistent'],
  ...['canceled', 'tool_output', 'other_failure'],
  ...processFailures,
] as readonly FailureCode[];
