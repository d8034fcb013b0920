import { readStored } from './stored-read.ts';
import type { Supervisor } from './supervisor.ts';

/** Resolves with the state of an actor once it is none of these, and on disk. */
export function settledActor(supervisor: Supervisor, id: string, underWay: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const look = () => {
      const status = readStored(() => supervisor.read(id))?.status ?? '';
      if (underWay.includes(status)) return;
      unwatch();
      resolve(status);
    };
    const unwatch = supervisor.watch(id, look);
    look();
  });
}
