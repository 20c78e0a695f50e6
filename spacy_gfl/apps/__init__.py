"""Programs that use the package as any user could."""
