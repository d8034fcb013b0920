import type { EvidenceFact } from '../../contract/evidence/evidence-read.ts';
import type { JournalEvent } from '../../contract/journal.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { Badge, Facts, Identity } from '../parts/facts.tsx';
import { IconButton } from '../parts/icon.tsx';
import { Picture, type PictureFact } from '../pictures/filmstrip.tsx';
import type { Playback } from '../player/playback.ts';
import { type AvailableRow, claimWords, type Fact, type Mark, type Subject } from '../timeline/lanes.ts';
import {
  claimChecks,
  evidenceChecks,
  journalChecks,
  objectChecks,
  operationOf,
  readsOf,
} from '../verification/checks.ts';
import { clockTime, counted, rangeCode } from '../words/numbers.ts';
import { sentence, wordsOf } from '../words/sentence.ts';
import type { StudyContents } from './study-model.ts';
import { VerifyHere } from './verify-here.tsx';

/** The kinds of facts that a read renames. */
const kindsOfReads: Readonly<Record<string, EvidenceFact['kind']>> = {
  transcript_line: 'recognised_line',
  screen_text: 'recognised_text',
};

/** True if a fact of a read is this fact of the evidence. A read cuts facts to its window, so it lies within this one. */
export const isCitedAs = (fact: Fact, cited: EvidenceFact): boolean =>
  cited.kind === (kindsOfReads[fact.kind] ?? fact.kind) &&
  cited.startMs >= Number(fact.startMs) &&
  cited.endMs <= Number(fact.endMs) &&
  (!('text' in cited) || cited.text === fact.text);

interface ClaimReceiptProps {
  readonly subject: Extract<Subject, { kind: 'claim' }>;
  readonly study: StudyContents;
  readonly events: readonly JournalEvent[];
  readonly onOpen: (subject: Subject) => void;
}

/** A claim, and what it rests on: claim, read, evidence, bytes. */
function ClaimReceipt({ subject, study, events, onOpen }: ClaimReceiptProps) {
  const host = useHost();
  const { claim, operationId } = subject;
  const { overview, evidence, audits } = study;
  const reads = readsOf(events);
  const audit = audits.audits.find((each) => each.operationId === operationId);
  const rowOf = (artifactId: string): AvailableRow | undefined =>
    evidence.evidence.find((row): row is AvailableRow => row.state === 'available' && row.artifactId === artifactId);
  const cited = [...new Set(claim.citations.map(({ evidenceArtifactId }) => evidenceArtifactId))].flatMap(
    (artifactId) => rowOf(artifactId) ?? [],
  );
  const check = async () => {
    const ofEvidence = cited.map((row) =>
      evidenceChecks(
        row,
        overview.findings.find(({ artifactId }) => artifactId === row.artifactId),
        events,
      ),
    );
    return [
      ...(await claimChecks(claim, operationId, events)),
      ...(await Promise.all(ofEvidence)).flat(),
      ...(await journalChecks(host, overview.runtimeId, events)),
    ];
  };
  return (
    <>
      <p class="actions">
        {claim.states.map((state) => (
          <Badge key={state} state={state} />
        ))}
      </p>
      <ol class="chain" aria-label="What the claim rests on">
        <li>
          Claim over {rangeCode(claim.range.startMs, claim.range.endMs)}
          {audit !== undefined && (
            <>
              {' '}
              in <Identity id={audit.receiptId} />
            </>
          )}
        </li>
        {claim.citations.map((citation) => {
          const read = reads.get(citation.receiptId);
          const row = rowOf(citation.evidenceArtifactId);
          const cited = read?.facts[citation.factIndexes[0] ?? 0];
          const first =
            cited === undefined ? -1 : (row?.facts.findIndex((fact) => isCitedAs(fact as Fact, cited)) ?? -1);
          return (
            <li key={citation.receiptId}>
              <span class="quiet">rests on</span> {counted(citation.factIndexes.length, 'fact')} of the read{' '}
              <Identity id={citation.receiptId} />
              <ol class="chain">
                <li>
                  <span class="quiet">of the evidence</span>{' '}
                  {row === undefined || first < 0 ? (
                    <Identity id={citation.evidenceArtifactId} />
                  ) : (
                    <button
                      type="button"
                      class="link"
                      onClick={() => onOpen({ kind: 'fact', row, title: row.kind, factIndex: first })}
                    >
                      {wordsOf(row.kind)}
                    </button>
                  )}
                </li>
                <li>
                  <span class="quiet">of the bytes</span> <Identity id={overview.source.contentId} />
                </li>
              </ol>
            </li>
          );
        })}
      </ol>
      <VerifyHere check={check} runtimeId={overview.runtimeId} />
      {audit !== undefined && (
        <details>
          <summary>Receipt</summary>
          <Facts
            of={[
              ['Assessment', <Identity id={audit.receiptId} />],
              ['Bytes', <Identity id={audit.receiptContentId} />],
              ['Operation', <Identity id={audit.operationId} />],
              ['The host says', 'receipt and citations were reopened and derived again'],
            ]}
          />
        </details>
      )}
    </>
  );
}

interface FactReceiptProps {
  readonly subject: Extract<Subject, { kind: 'fact' }>;
  readonly study: StudyContents;
  readonly events: readonly JournalEvent[];
  readonly onOpen: (subject: Subject) => void;
}

const figure = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** A fact: its figures, who measured it and how, and the claims that cite it. */
function FactReceipt({ subject, study, events, onOpen }: FactReceiptProps) {
  const host = useHost();
  const { row, factIndex } = subject;
  const { overview, audits } = study;
  const fact = row.facts[factIndex] as Fact | undefined;
  const finding = overview.findings.find(({ artifactId }) => artifactId === row.artifactId);
  const receipt = operationOf(events, row.artifactId);
  const check = async () => [
    ...(await objectChecks((contentId) => host.evidenceObjects.read(overview.runtimeId, contentId), fact)),
    ...(await evidenceChecks(row, finding, events)),
    ...(await journalChecks(host, overview.runtimeId, events)),
  ];
  return (
    <>
      {fact?.kind === 'keyframe' && (
        <div class="chosen-picture">
          <Picture
            runtimeId={overview.runtimeId}
            fact={fact as Fact & PictureFact}
            alt={`The picture at ${clockTime(Number(fact.atMs))}`}
          />
        </div>
      )}
      <CitingClaims subject={subject} audits={audits} events={events} onOpen={onOpen} />
      <VerifyHere check={check} runtimeId={overview.runtimeId} />
      <details>
        <summary>Receipt</summary>
        <Facts
          of={[
            ...Object.entries(fact ?? {})
              .filter(([name]) => name !== 'text')
              .map(
                ([name, value]) =>
                  [sentence(wordsOf(name.replaceAll(/([A-Z])/g, ' $1').toLowerCase())), figure(value)] as const,
              ),
            ['Measured by', row.tool === null ? 'came with the source' : `${row.tool.name} ${row.tool.version}`],
            ...(row.tool === null ? [] : [['Tool', <Identity id={row.tool.digest} />] as const]),
            ...(receipt === undefined ? [] : [['Operation', <Identity id={receipt.receiptId} />] as const]),
            ...(receipt?.reused ? [['Reused', 'an equal operation had been completed before'] as const] : []),
            ['Artifact', <Identity id={row.artifactId} />],
            ['Bytes', <Identity id={row.contentId} />],
          ]}
        />
      </details>
      <details>
        <summary>Parameters of the measurement</summary>
        <Facts of={Object.entries(row.parameters).map(([name, value]) => [name, figure(value)] as const)} />
      </details>
    </>
  );
}

/**
 * The claims that cite a fact, each with its audit. Null if none of the known ones does, and the page lacks reads that claims cite,
 * as it may of a very long journal.
 */
export function citingClaims(
  { artifactId }: Pick<AvailableRow, 'artifactId'>,
  fact: Fact | undefined,
  audits: StudyContents['audits']['audits'],
  reads: ReturnType<typeof readsOf>,
) {
  let isKnown = true;
  const citing = audits.flatMap(({ operationId, claims }) =>
    claims
      .filter(({ citations }) =>
        citations.some(({ evidenceArtifactId, receiptId, factIndexes }) => {
          if (evidenceArtifactId !== artifactId) return false;
          const read = reads.get(receiptId);
          isKnown &&= read !== undefined;
          return factIndexes.some((index) => {
            const cited = read?.facts[index];
            return fact !== undefined && cited !== undefined && isCitedAs(fact, cited);
          });
        }),
      )
      .map((claim) => ({ claim, operationId })),
  );
  return citing.length > 0 || isKnown ? citing : null;
}

function CitingClaims({
  subject,
  audits,
  events,
  onOpen,
}: Omit<FactReceiptProps, 'study'> & { readonly audits: StudyContents['audits'] }) {
  const { row, factIndex } = subject;
  const fact = row.facts[factIndex] as Fact | undefined;
  const citing = citingClaims(row, fact, audits.audits, readsOf(events));
  if (citing === null)
    return <p class="quiet">This page has not read far enough to know which claims cite this fact.</p>;
  if (citing.length === 0) return <p class="quiet">No claim cites this fact.</p>;
  return (
    <ul class="chain" aria-label="Claims that cite this fact">
      {citing.map(({ claim, operationId }) => (
        <li key={`${operationId} ${claim.claimIndex}`}>
          <span class="quiet">is cited by the claim</span>{' '}
          <button type="button" class="link" onClick={() => onOpen({ kind: 'claim', claim, operationId })}>
            {claimWords(claim)}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface InspectorProps {
  readonly chosen: Mark;
  readonly study: StudyContents;
  readonly events: readonly JournalEvent[];
  readonly control: Playback;
  readonly onOpen: (subject: Subject) => void;
  readonly onClose: () => void;
}

/** The chosen mark of the timeline: its text, its sources, its dependents, and a way to check them here. */
export function Inspector({ chosen, study, events, control, onOpen, onClose }: InspectorProps) {
  const { subject, words, startMs, endMs } = chosen;
  return (
    <section class="inspector" aria-label="Chosen fact" aria-live="polite">
      <div class="inspector-head">
        <p class="overline">{subject.kind === 'claim' ? 'Claim' : subject.title}</p>
        <IconButton icon="x" label="Back to what was found" onClick={onClose} />
      </div>
      <h2 class="chosen-words">{sentence(words)}</h2>
      <p class="mono">{rangeCode(startMs, endMs)}</p>
      <div class="actions">
        <button type="button" onClick={() => control.seek(startMs)}>
          Go there
        </button>
        {endMs > startMs && (
          <button type="button" onClick={() => control.loopOver({ startMs, endMs })}>
            Loop
          </button>
        )}
      </div>
      {subject.kind === 'fact' ? (
        <FactReceipt subject={subject} study={study} events={events} onOpen={onOpen} />
      ) : subject.kind === 'gap' ? (
        <p>
          Captions have no line here.{' '}
          <a href={addressOf({ view: 'study', runtimeId: study.overview.runtimeId, pane: 'captions' })}>
            Open the captions to add one
          </a>
        </p>
      ) : (
        <ClaimReceipt subject={subject} study={study} events={events} onOpen={onOpen} />
      )}
    </section>
  );
}
