import { useMemo } from 'preact/hooks';
import type { KeyframeFact } from '../../../contract/evidence/evidence-object.ts';
import { useHost } from '../host/use-host.ts';
import { useRemote } from '../host/use-remote.ts';
import type { Stretch } from '../parts/ticks.ts';
import { Filmstrip } from '../pictures/filmstrip.tsx';
import { Wave } from '../pictures/wave.tsx';
import type { Lane } from './lanes.ts';

/** Pixels of a track with something behind its marks. The style has the same. */
export const backdropHeight = 54;

interface BackdropProps {
  readonly lane: Lane;
  readonly runtimeId: string;
  readonly view: Stretch;
  readonly width: number;
}

/** What lies behind the marks of a lane: the pictures or the sound that its facts name. */
export const Backdrop = ({ lane, ...place }: BackdropProps) => {
  if (lane.backdrop === 'sound') return <Sound key={lane.key} {...place} />;
  return lane.backdrop === 'pictures' ? <Pictures lane={lane} {...place} /> : null;
};

function Pictures({ lane, runtimeId, view, width }: BackdropProps) {
  const facts = useMemo(
    () =>
      lane.marks.flatMap(({ subject }) => {
        const fact = subject.kind === 'fact' ? subject.row.facts[subject.factIndex] : undefined;
        return fact?.kind === 'keyframe' ? [fact satisfies KeyframeFact] : [];
      }),
    [lane],
  );
  return <Filmstrip runtimeId={runtimeId} facts={facts} view={view} width={width} height={backdropHeight} />;
}

function Sound({ runtimeId, view, width }: Omit<BackdropProps, 'lane'>) {
  const host = useHost();
  const { remote } = useRemote(() => host.evidenceObjects.waveform(runtimeId), [host, runtimeId]);
  if (remote.state === 'loading') return <span class="absence">loading the waveform</span>;
  if (remote.state === 'failed') return <span class="absence">the waveform cannot be had from the host now</span>;
  return remote.value === null ? null : (
    <Wave waveform={remote.value} view={view} width={width} height={backdropHeight} />
  );
}
