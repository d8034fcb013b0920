import { HostError } from '../../client/host-error.ts';
import { type StudyRequest, spokenLanguage } from '../../client/studies.ts';
import type { StudyHost } from '../../client/study-host.ts';
import type { Range } from '../../contract/base/grammar.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session-list.ts';
import { baseLanguage } from '../../receipts/core/base-language.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { usualLimitMs } from './study-range.ts';

/** The tag for what has no language in it: a study that declares it differs from every language that is known of a source. */
const noLanguage = 'zxx';

interface Asked {
  readonly host: Pick<StudyHost, 'warnings'>;
  readonly terminal: Pick<Terminal, 'remark'>;
}

const bases = {
  detected: 'as it was identified in the sound',
  container: 'as the file states',
} as const;

/** The languages that are spoken in a range as far as the host knows before a study, and who said so; null where nobody did. */
async function knownLanguages(host: Asked['host'], source: SourceSessionRow, request: StudyRequest, range: Range) {
  const told = { ...request, requestedSourceLanguage: spokenLanguage(noLanguage) };
  const { warnings } = await host.warnings(source, { ...told, range }).catch((error: unknown) => {
    if (!(error instanceof HostError && error.code === 'study_range_too_large')) throw error;
    const beginning = { startMs: range.startMs, endMs: range.startMs + usualLimitMs };
    return host.warnings(source, { ...told, range: beginning });
  });
  for (const warning of warnings) {
    if (warning.code !== 'declared_language_differs') continue;
    const languages = warning.found.map(baseLanguage).filter((language) => language !== null);
    return { basis: warning.basis, languages: [...new Set(languages)] };
  }
  return null;
}

/**
 * What a study is told of the spoken language, and says so to the person: the tag that was given; else the one language that is known
 * of the range. Of none and of several the study is told nothing, and captions need to be told one.
 */
export async function requestedLanguage(
  { host, terminal }: Asked,
  source: SourceSessionRow,
  request: StudyRequest,
  { range: { startMs, endMs }, tag }: { readonly range: Range; readonly tag: string | undefined },
): Promise<StudyRequest['requestedSourceLanguage']> {
  if (tag !== undefined) return spokenLanguage(tag);
  const known = await knownLanguages(host, source, request, { startMs, endMs });
  const [language, ...others] = known?.languages ?? [];
  if (known === null || language === undefined) return spokenLanguage();
  if (others.length === 0) {
    terminal.remark(`spoken language: ${language}, ${bases[known.basis]}; --language TAG names another`);
    return spokenLanguage(language);
  }
  const said = [language, ...others].join(', ');
  terminal.remark(`spoken languages: ${said}, ${bases[known.basis]}; captions need one: --language TAG names it`);
  return spokenLanguage();
}
