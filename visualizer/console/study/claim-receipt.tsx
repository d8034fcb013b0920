import type { JournalEvent } from '../../../contract/journal.ts';
import { useHost } from '../host/use-host.ts';
import { Badge } from '../parts/badge.tsx';
import { Facts } from '../parts/facts.tsx';
import { Identity } from '../parts/identity.tsx';
import type { Fact } from '../timeline/fact-words.ts';
import type { AvailableRow, Subject } from '../timeline/lanes.ts';
import { claimChecks, readsOf } from '../verification/claim-checks.ts';
import { evidenceChecks } from '../verification/evidence-checks.ts';
import { journalChecks } from '../verification/journal-checks.ts';
import { wordsOf } from '../words/codes.ts';
import { counted } from '../words/counted.ts';
import { rangeCode } from '../words/time-code.ts';
import { isCitedAs } from './cited-fact.ts';
import type { Study } from './study-model.ts';
import { VerifyHere } from './verify-here.tsx';

interface ClaimReceiptProps {
  readonly subject: Extract<Subject, { kind: 'claim' }>;
  readonly study: Study;
  readonly events: readonly JournalEvent[];
  readonly onOpen: (subject: Subject) => void;
}

/** A claim, and what it rests on: claim, read, evidence, bytes. */
export function ClaimReceipt({ subject, study, events, onOpen }: ClaimReceiptProps) {
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
      <p class="deeds">
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
