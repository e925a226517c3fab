import type { ReactNode } from 'react';

type IconProps = { size?: number };

const createIcon =
  (paths: ReactNode) =>
  ({ size = 18 }: IconProps) => (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {paths}
    </svg>
  );

export const SearchIcon = createIcon(<path d="M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM20 20l-4.9-4.9" />);
export const PlusIcon = createIcon(<path d="M12 5v14M5 12h14" />);
export const SunIcon = createIcon(
  <path d="M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4" />,
);
export const MoonIcon = createIcon(<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z" />);
export const CopyIcon = createIcon(<path d="M9 9h10v11H9zM15 9V5a1 1 0 0 0-1-1H6a1 1 0 0 0-1 1v9a1 1 0 0 0 1 1h3" />);
export const CheckIcon = createIcon(<path d="m5 12.5 4.5 4.5L19 7.5" />);
export const DotsIcon = createIcon(<path d="M5 12h.01M12 12h.01M19 12h.01" strokeWidth={3} />);
export const PauseIcon = createIcon(<path d="M8 5v14M16 5v14" />);
export const PlayIcon = createIcon(<path d="M7 4.5v15l12-7.5z" />);
export const ClockIcon = createIcon(<path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7v5l3 2" />);
export const PlugIcon = createIcon(<path d="M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4" />);
export const ChevronIcon = createIcon(<path d="m6 15 6-6 6 6" />);
export const UsersIcon = createIcon(
  <path d="M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM2.5 20.5a6.5 6.5 0 0 1 13 0M16 3.5a4 4 0 0 1 0 7M18 14.5a6.5 6.5 0 0 1 3.5 6" />,
);
export const ColumnsIcon = createIcon(<path d="M4 4h16v16H4zM10 4v16M15 4v16" />);
export const DownIcon = createIcon(<path d="m6 9 6 6 6-6" />);
export const KeyIcon = createIcon(<path d="M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM11 12l8-8M16 7l3 3" />);
export const UploadIcon = createIcon(<path d="M12 16V4M7 9l5-5 5 5M4 20h16" />);
