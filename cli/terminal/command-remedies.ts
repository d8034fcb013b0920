import type { HostError } from '../../client/host-error.ts';

const again = 'study its range once more under a name: media-study study SOURCE --again NAME';

/** What can be done at a command line about a refusal whose remedy the host names in words of its API. */
const remedies: Readonly<Partial<Record<HostError['code'], string>>> = {
  unknown_runtime: 'media-study runtimes lists the studies',
  runtime_deleted: again,
  runtime_live: 'end it by media-study cancel RUNTIME, or wait for its end, and delete it then',
  runtime_already_terminal: 'media-study evidence RUNTIME says how it ended',
  unknown_source_session: 'media-study sources lists the sources',
  source_deleted: 'take its media in again to study it: media-study ingest FILE',
  unknown_subtitle_track: 'media-study subtitles SOURCE lists the tracks',
  malformed_journal: again,
  invalid_journal_chain: again,
  stored_content_inconsistent: `put the file back if you have a copy, or ${again}`,
  illegal_review_transition: `media-study evidence RUNTIME says where the review stands; for another one ${again}`,
  caption_authority_required:
    'media-study evidence RUNTIME says where the review stands; captions need an approval that stands',
  illegal_caption_transition: `media-study captions RUNTIME prints those that are there; for others ${again}, with --language TAG where no language was declared`,
  export_unavailable:
    'media-study evidence RUNTIME lists what the study has; a transcript needs a host with --semantic-recognizer, text on the screen one with --screen-text',
};

/** What can be done about a refusal, by a command where there is one; null where nothing is known. */
export const remedyOf = ({ code, hint }: HostError): string | null => remedies[code] ?? hint;
