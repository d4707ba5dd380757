"""What clusters features, and what measures clusters by them; other folders offer the public names."""
