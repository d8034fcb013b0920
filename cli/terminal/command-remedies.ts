import type { HostError } from '../../client/host-error.ts';
import { errorRemedies } from '../../contract/base/error-codes.ts';
import { asTyped } from './as-typed.ts';

const again = () => `study its range once more under a name: ${asTyped('study SOURCE --again NAME')}`;

/** What stands in a remedy for the study: what the person called it, if the call names one. */
const unnamed = 'RUNTIME';

/** What can be done at a command line about a refusal whose remedy the host names in words of its API; `study` is how it is called. */
const remedies: Readonly<Partial<Record<HostError['code'], (study: string) => string>>> = {
  unknown_runtime: () => `${asTyped('runtimes')} lists the studies`,
  runtime_deleted: again,
  runtime_live: (study) => `end it by ${asTyped(`cancel ${study}`)}, or wait for its end, and delete it then`,
  runtime_already_terminal: (study) => `${asTyped(`evidence ${study}`)} says how it ended`,
  unknown_source_session: () => `${asTyped('sources')} lists the sources`,
  source_deleted: () => `take its media in again to study it: ${asTyped('ingest FILE')}`,
  unknown_subtitle_track: () => `${asTyped('subtitles SOURCE')} lists the tracks`,
  malformed_journal: again,
  invalid_journal_chain: again,
  stored_content_inconsistent: () => `put the file back if you have a copy, or ${again()}`,
  illegal_review_transition: (study) =>
    `${asTyped(`evidence ${study}`)} says where the review stands; for another one ${again()}`,
  caption_authority_required: (study) =>
    `${asTyped(`evidence ${study}`)} says where the review stands; captions need an approval that stands`,
  caption_current_run_causality_required: () =>
    `${errorRemedies.caption_current_run_causality_required}; or stop it, and run this command again: the host that a command starts for itself makes captions of subtitle tracks`,
  illegal_caption_transition: (study) =>
    `${asTyped(`evidence ${study}`)} says what can be done; for captions of another study ${again()}, with --language TAG if no language was declared`,
  export_unavailable: (study) =>
    `${asTyped(`evidence ${study}`)} lists what the study has; a transcript needs a host with --semantic-recognizer, text on the screen one with --screen-text`,
};

/** What can be done about a refusal, by a command where there is one; null where nothing is known. */
export const remedyOf = ({ code, hint }: HostError, study = unnamed): string | null => remedies[code]?.(study) ?? hint;
