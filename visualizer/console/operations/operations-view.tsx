import { Backup } from './backup.tsx';
import { Disk } from './disk.tsx';
import { Figures } from './figures.tsx';
import { Machine } from './machine.tsx';

/** How the host is and what it needs: its disk, its engines, its machine, a backup, and what it measures. */
export const OperationsView = () => (
  <div class="page">
    <h1>Operations</h1>
    <div class="split operations">
      <div>
        <Disk />
        <Figures />
      </div>
      <aside aria-labelledby="care">
        <h2 id="care">Care</h2>
        <Machine />
        <Backup />
      </aside>
    </div>
  </div>
);
