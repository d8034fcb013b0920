import type { HostError } from '../../client/host-error.ts';

const again = 'start_study with a name as `again` studies its range once more';

/** What an agent can do about a refusal whose remedy the host names in words of its API. */
const remedies: Readonly<Partial<Record<HostError['code'], string>>> = {
  unknown_runtime: 'take a runtimeId of list_runtimes',
  runtime_deleted: again,
  runtime_already_terminal: 'read_status says how it ended',
  unknown_source_session: 'take a sourceSessionId of list_sources',
  source_deleted: 'take a sourceSessionId of list_sources',
  malformed_journal: again,
  invalid_journal_chain: again,
  stored_content_inconsistent: `a person may have a copy of the file; ${again}`,
  caption_authority_required: 'read_overview says where the review stands; captions need an approval that stands',
  export_unavailable: 'read_overview has the reason',
};

/** What can be done about a refusal, by a tool where there is one; null where nothing is known. */
export const toolRemedyOf = ({ code, hint }: HostError): string | null => remedies[code] ?? hint;
