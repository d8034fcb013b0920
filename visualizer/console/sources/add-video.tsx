import { useState } from 'preact/hooks';
import { useDeed } from '../host/use-deed.ts';
import { useHost } from '../host/use-host.ts';
import { useStore } from '../host/use-store.ts';
import { Agree, TextField } from '../parts/field.tsx';
import { Failed, Notice } from '../parts/notice.tsx';
import { sentence } from '../words/codes.ts';
import { parsedTimeCode } from '../words/time-code.ts';
import { uploads } from './uploads.ts';
import { videoHosts } from './video-hosts.ts';

/** Takes a range of a video from its address, where this host can fetch one. */
export function AddVideo() {
  const whyOff = useStore(videoHosts, (context) => context.whyOff);
  return whyOff === null ? (
    <AddVideoForm />
  ) : (
    <Notice kind="unavailable" title="Nothing can be fetched from video hosts">
      {sentence(whyOff)}.
    </Notice>
  );
}

function AddVideoForm() {
  const host = useHost();
  const { deed, run } = useDeed();
  const [url, setUrl] = useState('');
  const [start, setStart] = useState('0:00');
  const [end, setEnd] = useState('0:30');
  const [isConfirmed, setConfirmed] = useState(false);
  const [startMs, endMs] = [parsedTimeCode(start), parsedTimeCode(end)];
  const isRange = startMs !== null && endMs !== null && startMs < endMs;
  const isReady = url.trim() !== '' && isRange && isConfirmed;
  const begin = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    const request = { url: url.trim(), startMs, endMs, localProcessingConfirmed: true } as const;
    run(async () => {
      // It is in the list of ingests from its first state on.
      await host.ingestVideo(request, { onProgress: () => uploads.send({ type: 'ended', id: 0 }) });
      uploads.send({ type: 'ended', id: 0 });
      setUrl('');
      setConfirmed(false);
    });
  };
  return (
    <form class="panel" aria-label="Add a range of a video" onSubmit={begin}>
      <h3>From a video host</h3>
      <TextField label="Address" value={url} onValue={setUrl} placeholder="https://" isMono />
      <div class="pair">
        <TextField label="From" value={start} onValue={setStart} isMono />
        <TextField label="To" value={end} onValue={setEnd} isMono />
      </div>
      {!isRange && <p class="hint">Give times such as 1:02 or 1:02:03.500, the end behind the start.</p>}
      <Agree isTicked={isConfirmed} onTick={setConfirmed}>
        I confirm that this range may be fetched and processed on this machine. Nothing is published.
      </Agree>
      <button type="submit" disabled={!isReady || deed.state === 'busy'}>
        {deed.state === 'busy' ? 'Fetching the range' : 'Fetch the range'}
      </button>
      {deed.state === 'failed' && <Failed error={deed.error} />}
    </form>
  );
}
