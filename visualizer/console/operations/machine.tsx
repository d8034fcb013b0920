import type { Engine } from '../../../contract/operation.ts';
import { useHost } from '../host/use-host.ts';
import { useRemote } from '../host/use-remote.ts';
import { Badge } from '../parts/badge.tsx';
import { RemotePart } from '../parts/remote-part.tsx';
import { sentence, type Tone, wordsOf } from '../words/codes.ts';

const tones: Readonly<Record<'ok' | 'weak' | 'failed', Tone>> = { ok: 'good', weak: 'waiting', failed: 'bad' };

/** What the host found of its machine, and the engines that it was started with. */
export function Machine() {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.checks(), [host]);
  return (
    <RemotePart of={remote} what="what the host found of its machine" onRetry={reload}>
      {({ checks, engines }) => (
        <>
          <section class="panel" aria-labelledby="engines">
            <h3 id="engines">Engines, privacy and cost</h3>
            <ul class="plain engines">
              {engines.map((engine) => (
                <EngineRow key={engine.engine} engine={engine} />
              ))}
            </ul>
          </section>
          <section class="panel" aria-labelledby="machine">
            <h3 id="machine">This machine</h3>
            <ul class="plain lined">
              {checks.map(({ check, state, detail, remedy }) => (
                <li key={check}>
                  <span class="line-name">{check}</span>
                  <Badge state={state} tone={tones[state]} />
                  <span class="machine-words">
                    {detail}
                    {remedy !== null && `; ${remedy}`}
                  </span>
                </li>
              ))}
            </ul>
            <p class="hint">
              The whole ledger, permissions and tools that changed since the start need{' '}
              <code>npm run media-study doctor</code>. It reads and changes nothing.
            </p>
          </section>
        </>
      )}
    </RemotePart>
  );
}

const EngineRow = ({ engine: { engine, isOn, name, reach, mayCost, text, change } }: { readonly engine: Engine }) => (
  <li>
    <p>
      <strong>{sentence(wordsOf(engine))}</strong>{' '}
      <Badge state={isOn ? 'on' : 'off'} tone={isOn ? (reach === 'outside' ? 'waiting' : 'good') : 'quiet'} />
      {isOn && reach === 'outside' && <Badge state="leaves this machine" tone="waiting" />}
      {mayCost && <Badge state="may cost" tone="waiting" />}
    </p>
    <p>{sentence(text)}.</p>
    {name !== null && <p class="quiet mono">{name}</p>}
    {change !== null && !isOn && <p class="hint">To have it: {change}.</p>}
  </li>
);
