import type { JournalEvent } from '../../../contract/journal.ts';
import { useHost } from '../host/use-host.ts';
import { Facts } from '../parts/facts.tsx';
import { Identity } from '../parts/identity.tsx';
import { Picture, type PictureFact } from '../pictures/picture.tsx';
import type { Fact } from '../timeline/fact-words.ts';
import { claimWords, type Subject } from '../timeline/lanes.ts';
import { readsOf } from '../verification/claim-checks.ts';
import { evidenceChecks, objectChecks, operationOf } from '../verification/evidence-checks.ts';
import { journalChecks } from '../verification/journal-checks.ts';
import { sentence, wordsOf } from '../words/codes.ts';
import { timeCode } from '../words/time-code.ts';
import { isCitedAs } from './cited-fact.ts';
import type { Study } from './study-model.ts';
import { VerifyHere } from './verify-here.tsx';

interface FactReceiptProps {
  readonly subject: Extract<Subject, { kind: 'fact' }>;
  readonly study: Study;
  readonly events: readonly JournalEvent[];
  readonly onOpen: (subject: Subject) => void;
}

const figure = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** A fact: its figures, who measured it and how, and the claims that cite it. */
export function FactReceipt({ subject, study, events, onOpen }: FactReceiptProps) {
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
            alt={`The picture at ${timeCode(Number(fact.atMs))}`}
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

function CitingClaims({
  subject,
  audits,
  events,
  onOpen,
}: Omit<FactReceiptProps, 'study'> & { readonly audits: Study['audits'] }) {
  const { row, factIndex } = subject;
  const fact = row.facts[factIndex] as Fact | undefined;
  const reads = readsOf(events);
  const citing = audits.audits.flatMap(({ operationId, claims }) =>
    claims
      .filter(({ citations }) =>
        citations.some(
          ({ evidenceArtifactId, receiptId, factIndexes }) =>
            evidenceArtifactId === row.artifactId &&
            factIndexes.some((index) => {
              const cited = reads.get(receiptId)?.facts[index];
              return fact !== undefined && cited !== undefined && isCitedAs(fact, cited);
            }),
        ),
      )
      .map((claim) => ({ claim, operationId })),
  );
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
