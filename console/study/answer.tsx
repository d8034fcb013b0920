import type { CaptionPlan } from '../../contract/captions/caption-plan.ts';
import type { Finding, OverviewClaim, RuntimeOverview } from '../../contract/overview.ts';
import { Badge, Facts, Identity } from '../parts/facts.tsx';
import { trackLanguage } from '../timeline/lanes.ts';
import { whatWords } from '../words/cause-words.ts';
import { type Fields, type Kinds, lengthWords, textOfParts } from '../words/kind-words.ts';
import { languageName } from '../words/language-name.ts';
import { counted, rangeCode } from '../words/numbers.ts';
import { linesByReason, sentence, wordsOf } from '../words/sentence.ts';

const isNothing = ({ placeCount, measures }: Finding): boolean =>
  measures.length === 0 ? placeCount === 0 : measures.some(({ name, value }) => name === 'count' && value === 0);

/** The fields of a finding by which the host words it: its own, its measures by their names, and the language of its track. */
const fieldsOf = (finding: Finding, findings: readonly Finding[]): Fields => ({
  ...finding,
  ...Object.fromEntries(finding.measures.map(({ name, value }) => [name, value])),
  language: trackLanguage(finding, findings),
});

/** The sentence of a finding; null for one that the host leaves out. Kinds that it does not describe have title and text. */
function sentenceOf(finding: Finding, findings: readonly Finding[], kinds: Kinds): string | null {
  const described = kinds.find(({ kind }) => kind === finding.kind);
  if (described === undefined) return `${sentence(finding.title)}: ${finding.brief}.`;
  const { summary } = described;
  if (summary === null) return null;
  const fields = fieldsOf(finding, findings);
  const { unless } = summary;
  return unless !== undefined && String(fields[unless.value]) === unless.is ? null : textOfParts(summary.words, fields);
}

/**
 * The findings of a study in sentences, those of speech and subtitles or the others, each in the order of the host. Kinds without
 * findings, and kinds that could not be measured, are below the timeline.
 */
export function foundSentences(findings: readonly Finding[], isOfWords: boolean, kinds: Kinds): readonly string[] {
  const aboutWords = kinds.filter(({ about }) => about === 'words').map(({ kind }) => kind);
  return findings
    .filter(({ kind }) => aboutWords.includes(kind) === isOfWords)
    .filter((finding) => finding.state === 'available' && !isNothing(finding))
    .map((finding) => sentenceOf(finding, findings, kinds))
    .filter((words) => words !== null);
}

/** A claim in a sentence, with the times in the form of this page. */
function claimSentence({ kind, value, windows, totalMs, range }: OverviewClaim): string {
  const what =
    kind === 'speech_activity'
      ? value === 'speech'
        ? 'Speech'
        : 'No speech'
      : kind === 'language_identity' && value !== null
        ? languageName(value)
        : sentence(wordsOf(kind));
  const { startMs, endMs } = range;
  return `${what} in ${counted(windows, 'passage')}, ${lengthWords(totalMs / 1000)} in all, within ${rangeCode(startMs, endMs)}.`;
}

const withheldWords = (cause: RuntimeOverview['withheld'][number]['cause'], reasonCode: string): string =>
  cause === null ? wordsOf(reasonCode) : whatWords([cause]);

interface StudyAnswerProps {
  readonly overview: RuntimeOverview;
  readonly kinds: Kinds;
  /** The plan of its captions; null if it is unknown, or beside this answer. */
  readonly plan?: Pick<CaptionPlan, 'counts'> | null;
}

/** The answer of a study: what was found, what is claimed of it, and what is withheld. */
export function StudyAnswer({ overview, kinds, plan = null }: StudyAnswerProps) {
  const { findings, claims, withheld } = overview;
  const isLive = overview.study.reason === null && overview.lifecycle !== 'terminal';
  const gaps = plan?.counts.gaps ?? 0;
  const found = [
    ...(gaps === 0 ? [] : [`Speech without a line: ${counted(gaps, 'passage')}.`]),
    ...foundSentences(findings, true, kinds),
  ];
  const measured = foundSentences(findings, false, kinds);
  return (
    // It scrolls beside the player, so the keyboard reaches it.
    <div class="answer" tabIndex={0} role="region" aria-label="What the study says">
      <section aria-labelledby="found">
        <h2 id="found">What was found</h2>
        {found.length + measured.length === 0 ? (
          <p class="quiet">{isLive ? 'Nothing yet.' : 'Nothing.'}</p>
        ) : (
          <ul class="plain answer-list">
            {found.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        )}
        {measured.length > 0 && (
          <details>
            <summary>Pictures and sound</summary>
            <ul class="plain answer-list">
              {measured.map((words) => (
                <li key={words}>{words}</li>
              ))}
            </ul>
          </details>
        )}
      </section>
      <section aria-labelledby="claimed">
        <h2 id="claimed">Claims</h2>
        {claims.length === 0 ? (
          <p class="quiet">{isLive ? 'No claims yet.' : 'No claims.'}</p>
        ) : (
          <ul class="plain answer-list">
            {claims.map((claim) => (
              <li key={`${claim.kind} ${claim.value} ${claim.states}`}>
                {claimSentence(claim)}{' '}
                {claim.states.map((state) => (
                  <Badge key={state} state={state} />
                ))}
              </li>
            ))}
          </ul>
        )}
        {withheld.length > 0 && (
          <ul class="plain answer-list" aria-label="Not there, with the reason">
            {linesByReason(
              withheld.map(({ what, cause, reasonCode }) => ({ what, why: withheldWords(cause, reasonCode) })),
            ).map((line) => (
              <li key={line} class="quiet">
                {line}
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}

/** The ids of a study and its reason codes, for programs and those who check. */
export function Technical({ overview }: { readonly overview: RuntimeOverview }) {
  const { runtimeId, commandId, journalHead, source, findings, withheld } = overview;
  return (
    <details class="technical">
      <summary>Technical</summary>
      <Facts
        of={[
          ['Study', <Identity id={runtimeId} />],
          ['Command', <Identity id={commandId} />],
          ['Events in its journal', journalHead.toLocaleString()],
          ['Source', <Identity id={source.sourceSessionId} />],
          ['Revision of the source', <Identity id={source.sourceRevisionId} />],
          ['Bytes of the source', <Identity id={source.contentId} />],
          ...(['decision', 'review', 'captions', 'check'] as const).flatMap((name) =>
            overview[name].receiptIds.map((id) => [`Receipt: ${name}`, <Identity key={id} id={id} />] as const),
          ),
          ...findings.flatMap(({ title, artifactId, reasonCode }) =>
            artifactId === null && reasonCode === null
              ? []
              : [[sentence(title), artifactId === null ? reasonCode : <Identity id={artifactId} />] as const],
          ),
          ...withheld.map(({ what, reasonCode }) => [`Withheld: ${what}`, reasonCode] as const),
        ]}
      />
    </details>
  );
}
