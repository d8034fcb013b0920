import { addressOf } from '../host/route.ts';
import { useDeed } from '../host/use-deed.ts';
import { useHost } from '../host/use-host.ts';
import { useRemote } from '../host/use-remote.ts';
import { Badge } from '../parts/badge.tsx';
import { Failed, Notice } from '../parts/notice.tsx';
import { RemotePart } from '../parts/remote-part.tsx';
import { isInPart, sentence, withoutName, withoutNo, wordsOf } from '../words/codes.ts';
import { withTimes } from '../words/time-code.ts';
import { CaptionLines } from './caption-lines.tsx';
import { Explainer } from './explainer.tsx';
import { QualitySummary } from './quality-summary.tsx';
import type { Study, StudyModel } from './study-model.ts';

interface CaptionsPaneProps {
  readonly study: Study;
  readonly model: StudyModel;
  readonly runtimeId: string;
}

/** The captions of a study: how they are had, their lines side by side, and how they keep to the guidelines. */
export function CaptionsPane({ study, model, runtimeId }: CaptionsPaneProps) {
  const host = useHost();
  const { deed, run } = useDeed();
  const { captions, check, actions, journalHead } = study.overview;
  const may = (name: string): boolean => actions.some(({ action }) => action === name);
  const { remote, reload } = useRemote(
    async () => {
      const [{ results }, { reports }] = await Promise.all([
        host.captions.results(runtimeId),
        host.captions.qualityReports(runtimeId),
      ]);
      return { results, reports };
    },
    [host, runtimeId],
    journalHead,
  );
  const produce = () =>
    run(async () => {
      await host.captions.produce(runtimeId);
      await model.refresh();
    });
  return (
    <div class="captions">
      <div class="study-parts">
        <p>
          <Badge state={isInPart(check) ? 'withheld' : captions.state} words={captionWords(captions.text)} />
        </p>
        <p>
          <Badge
            state={isInPart(check) ? 'withheld' : check.state}
            words={`check: ${withoutNo(check.text)}${isInPart(check) ? '; files have only lines with both texts' : ''}`}
          />
        </p>
        {may('produce_captions') && (
          <button type="button" class="primary" disabled={deed.state === 'busy'} onClick={produce}>
            {deed.state === 'busy' ? 'Producing' : 'Produce captions'}
          </button>
        )}
        {deed.state === 'failed' && <Failed error={deed.error} />}
      </div>
      <RemotePart of={remote} what="the captions" onRetry={reload}>
        {({ results: [result], reports }) =>
          result === undefined ? (
            <NoCaptions study={study} />
          ) : (
            <>
              <QualitySummary reports={reports} />
              <CaptionLines artifact={result.artifact} reports={reports} reasons={reasonsOf(study)} />
              <Explainer artifact={result.artifact} study={study} runtimeId={runtimeId} />
            </>
          )
        }
      </RemotePart>
    </div>
  );
}

/** What is known of the captions, under their name once. */
const captionWords = (text: string): string =>
  withTimes(text.startsWith('captions ') ? text : `captions: ${withoutNo(text)}`);

/** The words of the host for each reason why something of this study is kept back. */
const reasonsOf = ({ overview }: Study): ReadonlyMap<string, string> =>
  new Map(overview.withheld.map(({ what, reasonCode, text }) => [reasonCode, withoutName(text, what)]));

function NoCaptions({ study }: { readonly study: Study }) {
  const { runtimeId, captions, actions } = study.overview;
  if (actions.some(({ action }) => action === 'approve')) {
    return (
      <Notice kind="not-yet" title="Captions need an approval">
        <p>A person has to approve the study first.</p>
        <a class="button" href={addressOf({ view: 'study', runtimeId, pane: 'review' })}>
          Review the study
        </a>
      </Notice>
    );
  }
  if (actions.some(({ action }) => action === 'produce_captions')) {
    return (
      <Notice kind="not-yet" title="There are no captions yet">
        The study is approved: produce them above.
      </Notice>
    );
  }
  const kind =
    captions.state === 'withheld'
      ? 'withheld'
      : captions.state === 'failed'
        ? 'failed'
        : captions.state === 'never'
          ? 'unavailable'
          : 'not-yet';
  return (
    <Notice kind={kind} title={sentence(withTimes(withoutNo(captions.text)))}>
      {captions.reasonCodes.length > 0 && <p>{captions.reasonCodes.map(wordsOf).join(', ')}</p>}
    </Notice>
  );
}
