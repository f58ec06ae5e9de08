# What the installed SpamAssassin makes of senders: reads its configuration from the files named, with its own parser,
# then addresses from standard input, one a line, and prints for each "address<TAB>setting pattern [signer]<TAB>..." for every
# pattern that matches by its own regular expression. Needs Debian's package spamassassin.
use strict;
use warnings;
use Mail::SpamAssassin;

my $text = join '', map {
  open my $file, '<', $_ or die "$_: $!\n";
  "file start $_\n" . join('', <$file>) . "\nfile end $_\n"
} @ARGV;
my $plugins = join '', map { "loadplugin Mail::SpamAssassin::Plugin::$_\n" } qw(SPF DKIM WLBLEval);
my $assassin = Mail::SpamAssassin->new({
  config_text => $plugins . $text, local_tests_only => 1, dont_copy_prefs => 1, userstate_dir => '/nonexistent',
});
$assassin->init(0);
my $conf = $assassin->{conf};

my @patterns;
for my $setting (qw(welcomelist_from welcomelist_auth def_welcomelist_auth welcomelist_from_spf def_welcomelist_from_spf blocklist_from)) {
  push @patterns, ["$setting $_", $conf->{$setting}{$_}] for sort keys %{ $conf->{$setting} || {} };
}
for my $setting (qw(welcomelist_from_dkim def_welcomelist_from_dkim)) {
  for my $glob (sort keys %{ $conf->{$setting} || {} }) {
    my $entry = $conf->{$setting}{$glob};
    push @patterns, [$_ eq '' ? "$setting $glob" : "$setting $glob $_", $entry->{re}] for @{ $entry->{domain} };
  }
}
warn scalar(@patterns) . " patterns\n";

while (my $address = <STDIN>) {
  chomp $address;
  my $lower = lc $address;
  print join("\t", $address, map { $lower =~ $_->[1] ? $_->[0] : () } @patterns), "\n";
}
