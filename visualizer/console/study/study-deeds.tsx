import { addressOf } from '../host/route.ts';
import { useDeed } from '../host/use-deed.ts';
import { useHost } from '../host/use-host.ts';
import { Failed } from '../parts/notice.tsx';
import type { Study, StudyModel } from './study-model.ts';

const liveStates: readonly string[] = ['accepted', 'initializing', 'running'];

/** What may be done next, where one press of a button is enough; a review has a view of its own. */
export function StudyDeeds({ study, model }: { readonly study: Study; readonly model: StudyModel }) {
  const host = useHost();
  const { deed, run } = useDeed();
  const { overview } = study;
  const { runtimeId, lifecycle, actions } = overview;
  const may = (name: string): boolean => actions.some(({ action }) => action === name);
  const cancel = () =>
    run(async () => {
      await host.cancel(runtimeId);
      await model.refresh();
    });
  const again = () =>
    run(async () => {
      const { range, sourceLanguage, targetLanguage } = overview.study;
      const started = await host.study(overview.source, {
        range,
        targetLanguage,
        requestedSourceLanguage: sourceLanguage,
        clientRequestId: `console-${crypto.randomUUID()}`,
      }).started;
      location.hash = addressOf({ view: 'study', runtimeId: started.runtimeId, pane: 'evidence' });
    });
  return (
    <div class="deeds">
      {liveStates.includes(lifecycle) && (
        <button type="button" disabled={deed.state === 'busy'} onClick={cancel}>
          Cancel the study
        </button>
      )}
      {(may('approve') || may('reject')) && (
        <a class="button primary" href={addressOf({ view: 'study', runtimeId, pane: 'review' })}>
          Review
        </a>
      )}
      {(may('produce_captions') || may('check_captions')) && (
        <a class="button primary" href={addressOf({ view: 'study', runtimeId, pane: 'captions' })}>
          Captions
        </a>
      )}
      {may('study_again') && (
        <button type="button" disabled={deed.state === 'busy'} onClick={again}>
          Study again
        </button>
      )}
      {deed.state === 'failed' && <Failed error={deed.error} />}
    </div>
  );
}
