import type { ErrorCode } from '../base/errors.ts';

/** A command as the reader types it, from its words; and the study that a refusal is about. */
interface Typing {
  readonly typed: (words: string) => string;
  readonly study: string;
}

interface ReadersRemedies {
  readonly terminal?: (typing: Typing) => string;
  readonly page?: string;
  readonly agent?: string;
}

const typedAgain = ({ typed }: Typing) =>
  `study its range once more under a name: ${typed('study SOURCE --again NAME')}`;
const pageAgain = 'study the range again';
const agentAgain = 'start_study with a name as `again` studies its range once more';
const fromTheLibrary = 'open it from the library; what you see may be older than the host';
const anotherGrant = 'open the study again';

/**
 * The remedies of refusals in the terms of single readers. `contract/base/errors.ts` has those for clients, in words of the API, which
 * end the message of every refusal. A reader without a remedy of its own takes that one.
 */
const remedies: Readonly<Partial<Record<ErrorCode, ReadersRemedies>>> = {
  origin_not_allowed: { page: 'open the page at the address that the host prints' },
  owned_ingest_unavailable: { page: 'use a host that takes in files' },
  videohost_local_ingest_unavailable: {
    page: 'install yt-dlp on the computer of the host, and restart the host in Operations',
  },
  ingest_body_too_large: { page: 'raise “Maximum owned media bytes” in Operations' },
  ingest_range_too_large: { page: 'choose a shorter range, or raise “Maximum videohost local range ms” in Operations' },
  subtitle_encoding_mismatch: { page: 'choose the encoding of the file' },
  study_range_too_large: { page: 'choose a shorter range, or raise “Maximum study range” in Operations' },
  study_queue_full: { page: 'wait until some studies end, or raise “Maximum live studies” in Operations' },
  unknown_runtime: {
    terminal: ({ typed }) => `${typed('runtimes')} lists the studies`,
    page: fromTheLibrary,
    agent: 'take a runtimeId of list_runtimes',
  },
  unknown_ingest: { page: 'add the file again' },
  unknown_source_session: {
    terminal: ({ typed }) => `${typed('sources')} lists the sources`,
    page: fromTheLibrary,
    agent: 'take a sourceSessionId of list_sources',
  },
  stale_source_revision: { page: fromTheLibrary },
  unknown_subtitle_track: { terminal: ({ typed }) => `${typed('subtitles SOURCE')} lists the tracks` },
  malformed_journal: { terminal: typedAgain, page: pageAgain, agent: agentAgain },
  invalid_journal_chain: { terminal: typedAgain, page: pageAgain, agent: agentAgain },
  stored_content_inconsistent: {
    terminal: (typing) => `put the file back if you have a copy, or ${typedAgain(typing)}`,
    page: `put the file back if you have a copy, or ${pageAgain}`,
    agent: `a person may have a copy of the file; ${agentAgain}`,
  },
  storage_unavailable: { page: 'try again in a moment; look at the disk of the host' },
  runtime_already_terminal: {
    terminal: ({ typed, study }) => `${typed(`evidence ${study}`)} shows how it ended`,
    page: 'reload the study to see how it ended',
    agent: 'read_status has its failure',
  },
  illegal_review_transition: {
    terminal: (typing) =>
      `${typing.typed(`evidence ${typing.study}`)} shows the state of the review; for another one ${typedAgain(typing)}`,
    page: 'reload the review; a new study of the range can be reviewed again',
  },
  caption_authority_required: {
    terminal: ({ typed, study }) =>
      `${typed(`evidence ${study}`)} shows the state of the review; captions need a valid approval`,
    page: 'approve the study first, under Review',
    agent: 'read_overview has the state of the review; captions need a valid approval',
  },
  caption_current_run_causality_required: {
    terminal: ({ typed, study }) => `${typed(`captions ${study} --produce`)} makes them by a method that is permitted`,
    page: 'switch captions on in Operations, which restarts the host',
    agent: 'produce_captions with a method of read_caption_methods makes them',
  },
  illegal_caption_transition: {
    terminal: (typing) =>
      `${typing.typed(`evidence ${typing.study}`)} lists the next steps; for captions of another study ${typedAgain(typing)}, with --language TAG if no language was declared`,
    page: 'reload the captions; a new study of the range can be approved again',
  },
  invalid_caption_plan_request: {
    terminal: () => 'name one of these tracks with --track, or leave --track out',
    page: 'reload the captions, and choose a track of the list',
    agent: 'read_caption_plan with a track that the message names, or without one',
  },
  caption_plan_mismatch: {
    terminal: ({ typed }) =>
      `set the engine back, or study the film again and approve the plan of now: ${typed('caption FILM --again')}`,
    page: 'reload the plan and read it again',
    agent: 'read_caption_plan again, and show it to a person before they approve',
  },
  caption_lines_unavailable: { page: 'see Captions for the way to some; the approval stays valid' },
  caption_translation_failed: { page: 'check the translating server in Operations, and try again' },
  export_unavailable: {
    terminal: ({ typed, study }) =>
      `${typed(`evidence ${study}`)} lists what the study has; a transcript needs a host with --semantic-recognizer, text on the screen one with --screen-text`,
    page: 'see “Not available” for the reason',
    agent: 'read_overview has the reason',
  },
  frame_rate_required: {
    terminal: () => 'name the frames a second by --rate, such as --rate 25',
    page: 'choose the frames of cuts beside Editing',
    agent: 'export_study again with a rate that the person names',
  },
  language_explanation_unavailable: { page: 'set a model server in Operations' },
  private_playback_grant_unavailable: { page: anotherGrant },
  private_playback_grant_expired: { page: anotherGrant },
  private_playback_source_unavailable: { page: pageAgain },
  private_playback_source_mismatch: { page: fromTheLibrary },
  runtime_deleted: { terminal: typedAgain, page: 'study the film again', agent: agentAgain },
  runtime_live: {
    terminal: ({ typed, study }) => `end it by ${typed(`cancel ${study}`)}, or wait for its end, and delete it then`,
  },
  source_in_use: {
    terminal: ({ typed }) => `delete its studies first, each by ${typed('delete runtime RUNTIME')}`,
    page: 'delete its studies first',
    agent: 'a person can delete its studies first',
  },
  source_deleted: {
    terminal: ({ typed }) => `take its media in again to study it: ${typed('ingest FILE')}`,
    page: 'add the film again',
    agent: 'take a sourceSessionId of list_sources',
  },
  source_read_in_place: { page: 'add the film as a file of your own; the sample always stays' },
  setting_not_changeable: { page: 'only the person who starts the host can change it' },
  settings_confirmation_required: { page: 'confirm what is sent, and try again' },
};

/** The remedy of a refusal at the terminal, by a command if there is one; null if only that for clients is known. */
export const terminalRemedy = (code: string, typing: Typing): string | null =>
  remedies[code as ErrorCode]?.terminal?.(typing) ?? null;

/** The remedy of a refusal in the terms of the page or of an agent; null if only that for clients is known. */
export const readersRemedy = (code: string, reader: 'page' | 'agent'): string | null =>
  remedies[code as ErrorCode]?.[reader] ?? null;
