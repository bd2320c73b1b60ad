// The key that does the same as the control it stands on: for the eye only, so that the control's name stays its name.
export const Key = ({ children }: { children: string | number }) => (
  <span className="key" aria-hidden="true">
    {children}
  </span>
);
