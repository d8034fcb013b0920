import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { HostError } from '../../client/host-error.ts';
import type { ScriptText } from '../../client/subtitles.ts';
import { errorRemedies, ServiceError } from '../../contract/base/errors.ts';
import { cutText, isSameName, labelLine } from '../../contract/base/grammar.ts';
import type { Reviewer } from '../../contract/review.ts';
import { derivedStatement, type ScriptUnheard } from '../../contract/sources/derived-subtitles.ts';
import type { ScriptAlignmentProposal } from '../../contract/sources/script-alignment.ts';
import { maximumSubtitleBytes } from '../../contract/sources/subtitle-track.ts';
import { countText, timeCode } from '../../formats/readable-numbers.ts';
import { type GivenFlags, pathOption } from '../../options/flags.ts';
import { type ExitCode, exitCodes } from '../../options/outputs.ts';
import { areOneLanguage } from '../../rules/languages.ts';
import { shellPath } from '../../storage/objects/data-root.ts';
import { type RecognizedStudy, type VerbCall, VerbRefusal } from '../feature.ts';
import { presentFile, writeNewFile } from './new-file.ts';
import { openScript } from './script-file.ts';

/** A tag for what has no language: the letters of a script whose language is not known yet are not compared. */
const anyLanguage = 'und';

const scriptPath = ({ positional }: GivenFlags): string => positional[2] ?? '';

/** The bytes of the script. Throws `VerbRefusal` for what is no script. */
async function scriptBytes(given: GivenFlags, language: string): Promise<Uint8Array<ArrayBuffer>> {
  const path = scriptPath(given);
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) throw new VerbRefusal(`there is no script ${path}`);
  if (found.size === 0) throw new VerbRefusal(`the script ${path} is empty`);
  if (found.size > maximumSubtitleBytes)
    throw new VerbRefusal(`the script ${path} has more than ${maximumSubtitleBytes} bytes, and is not read: divide it`);
  const bytes = new Uint8Array(await readFile(path));
  try {
    openScript(bytes, language, given.single('encoding') ?? null);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message } = error;
    const film = shellPath(given.positional[1] ?? 'FILM');
    const remedy = message.includes('subtitle file')
      ? `subtitles check ${film} --file ${shellPath(path)} compares it with the film, and subtitles fix moves it`
      : errorRemedies[code];
    throw new VerbRefusal(`${path}: ${message}; ${remedy}`);
  }
  return bytes;
}

/** Checks a call before a host is found: the script, and a named file that is there. Throws `VerbRefusal`. */
export async function checkScript(given: GivenFlags): Promise<void> {
  await scriptBytes(given, given.single('language') ?? anyLanguage);
  const output = pathOption(given, 'output');
  if (output !== null) await presentFile(resolve(output));
  if (given.has('attest') && given.single('reviewer') === undefined)
    throw new VerbRefusal('--attest needs --reviewer NAME');
}

/** The path of the new file: the one that the call names, or one beside the film. */
async function outputOf({ given, film }: VerbCall, { label, language }: RecognizedStudy): Promise<string> {
  const named = pathOption(given, 'output');
  if (named !== null) return resolve(named);
  const isFile = await stat(film).then(
    (found) => found.isFile(),
    () => false,
  );
  const name = isFile ? basename(film, extname(film)) : label.replaceAll(/[\\/\p{Cc}]/gu, '_');
  return resolve(join(isFile ? dirname(film) : '.', `${name}.${language}.script.srt`));
}

const reasonWords: Readonly<Record<ScriptUnheard, string>> = {
  no_better_than_chance: 'the sentences were not heard in this order',
  nothing_heard: 'no words were heard there',
  other_words: 'other words were heard there',
  other_place: 'it was heard in another place',
};

/** So many characters of a text are shown, and so many texts of a list; with `--json` all are there. */
const shown = { characters: 72, texts: 20 } as const;

const shownText = (text: string): string =>
  text.length > shown.characters ? `${cutText(text, shown.characters).trimEnd()} …` : text;

function listed(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length - shown.texts;
  return [title, ...lines.slice(0, shown.texts), ...(more > 0 ? [`  … and ${more} more (--json lists all)`] : [])];
}

/** The result as a person reads it: how much has times, and both lists. */
function linesOf({ parent, phrases, timed, lines, withheld, unwritten }: ScriptAlignmentProposal): readonly string[] {
  const share = phrases === timed ? 'all of the script' : `${timed} of ${phrases} parts of the script`;
  return [
    lines.length === 0
      ? `${parent.label}: no line has a time`
      : `${parent.label}: ${countText(lines.length, 'line')} with times, from ${share}`,
    ...listed(
      'Written, not said (withheld):',
      withheld.map(({ line, text, reason }) => `  line ${line}: ${shownText(text)} (${reasonWords[reason]})`),
    ),
    ...listed(
      'Said, not written:',
      unwritten.map(({ startMs, text }) => `  ${timeCode(startMs)}  ${shownText(text)}`),
    ),
  ];
}

/** The language in which most recognized lines are written, if it is another one than that of the script. */
async function otherLanguage({ host }: VerbCall, { runtimeId, language }: RecognizedStudy): Promise<string | null> {
  const { evidence } = await host.evidence(runtimeId, 'transcript');
  const counts = new Map<string, number>();
  let lines = 0;
  for (const row of evidence) {
    for (const fact of row.kind === 'transcript' ? row.facts : []) {
      if (fact.kind !== 'transcript_line' || fact.identified === null) continue;
      lines += 1;
      counts.set(fact.identified, (counts.get(fact.identified) ?? 0) + 1);
    }
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return most !== undefined && 2 * most[1] > lines && !areOneLanguage(most[0], language) ? most[0] : null;
}

/** Why nothing of a script has a time, and what to do. */
async function nothingLine(call: VerbCall, study: RecognizedStudy): Promise<string> {
  const heard = await otherLanguage(call, study);
  const because =
    heard === null
      ? 'it is of another film or cut, in another language than the sound, or the recognizer heard too little'
      : `the recognized words are in ${heard}, and the script is in ${study.language}`;
  return `Nothing was attached: ${because}. Another recognizer may hear more: use it, and add --again.`;
}

/** Lets the person agree to what is proposed. Throws `VerbRefusal` if they do not, and if nobody can be asked. */
async function demandAgreed(call: VerbCall, { id, label }: Reviewer, output: string): Promise<void> {
  const { given, terminal } = call;
  const script = basename(scriptPath(given));
  const named = given.single('reviewer');
  if (named !== undefined && !isSameName(named, label) && named !== id)
    throw new VerbRefusal(`--reviewer ${named}: the reviewer of this host is ${label} (${id}); name that one`);
  if (given.has('attest')) {
    if (!given.has('attest-rights'))
      throw new VerbRefusal(`--attest-rights is missing: confirm that you may process ${script} on this computer`);
    return;
  }
  if (!terminal.isInteractive)
    throw new VerbRefusal(
      `nothing was attached: agree at a terminal, or with --attest --reviewer "${label}" --attest-rights, which attests "${derivedStatement}"`,
    );
  terminal.remark(
    `The film gets a further subtitle track, and the file ${shellPath(output)} is written. Nothing is replaced.`,
  );
  terminal.remark(`You also confirm that you may process ${script} on this computer.`);
  terminal.remark(`${label}: "${derivedStatement}"`);
  if (!(await terminal.agreed('Attach them?'))) throw new VerbRefusal('Nothing was attached.');
}

/** Writes the file, unless it is there with the same bytes. Throws `VerbRefusal` for a file with others. */
async function writtenTo(output: string, bytes: Uint8Array): Promise<boolean> {
  const taken = () =>
    new VerbRefusal(`${output} is another file, and nothing is written over it: name a new one by --output`);
  const present = await presentFile(output);
  if (present?.equals(bytes)) return false;
  if (present !== null) throw taken();
  await writeNewFile(output, bytes).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? taken() : error;
  });
  return true;
}

/** A refusal of the host in its own words. */
const refused = (error: unknown): never => {
  throw error instanceof HostError && error.status < 500 ? new VerbRefusal(error.message) : error;
};

/** Gives a script the times of what is said in a film: attaches its lines, and writes them to a new file. */
export async function alignScript(call: VerbCall): Promise<ExitCode> {
  const { given, terminal, host, film, signal } = call;
  const study = await call.recognized();
  const { runtimeId, language } = study;
  const bytes = await scriptBytes(given, language);
  const label = labelLine(basename(scriptPath(given)));
  const encoding = given.single('encoding');
  const script: ScriptText = { bytes, label, language, ...(encoding !== undefined && { encoding }) };
  const proposal = await host.subtitles.proposeScript(runtimeId, script, signal).catch(refused);
  const { digest, attachedAs } = proposal;
  if (digest === null) {
    terminal.result(proposal, [...linesOf(proposal), await nothingLine(call, study)]);
    return exitCodes.failed;
  }
  const output = await outputOf(call, study);
  const isDone = attachedAs !== null;
  if (!isDone && (await presentFile(output)) !== null)
    throw new VerbRefusal(`${output} is there, and nothing is written over it: name a new file by --output`);
  const { reviewer } = await host.reviews.decisions(runtimeId);
  if (!isDone) {
    for (const line of linesOf(proposal)) terminal.remark(line);
    await demandAgreed(call, reviewer, output);
  }
  const rightsHolder = given.single('rights-holder') ?? reviewer.label;
  const options = { digest, reviewerId: reviewer.id, attestation: derivedStatement, rightsHolder };
  const { file, ...attached } = await host.subtitles.alignScript(runtimeId, script, options, signal).catch(refused);
  const isWritten = await writtenTo(output, Buffer.from(file.base64, 'base64'));
  const { base64: _, ...named } = file;
  terminal.result({ ...attached, file: { ...named, path: output } }, [
    ...(isDone ? linesOf(proposal) : []),
    isDone
      ? `Done before: track ${attached.track.trackIndex} of ${film} has these lines.`
      : `Attached as track ${attached.track.trackIndex}.`,
    isWritten ? `Written: ${shellPath(output)}` : `The file is there: ${shellPath(output)}`,
    `next: ${terminal.typed(`caption ${shellPath(film)}`)}`,
  ]);
  return proposal.withheld.length === 0 ? exitCodes.done : exitCodes.incomplete;
}
